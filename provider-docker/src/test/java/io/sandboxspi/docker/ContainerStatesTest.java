package io.sandboxspi.docker;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.TerminationOutcome;
import io.sandboxspi.tck.kit.Recording;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Containers that are paused, stopped, removed or restarted behind the provider's back. */
class ContainerStatesTest {
  private final DockerProvider provider = new DockerProvider();
  private SandboxBackend backend;
  private String container;

  @BeforeEach
  void create() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    backend =
        provider.create(
            new BackendRequest(
                "states-" + UUID.randomUUID().toString().substring(0, 8),
                Map.of("image", TestEngine.BUSYBOX, "pull", "never", "network", "none")),
            soon());
    container = backend.ref().data().get("container");
  }

  @AfterEach
  void delete() throws Exception {
    backend.release(soon());
    assertThat(provider.delete(backend.ref(), soon()).provesProcessesEnded()).isTrue();
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(20));
  }

  private LaunchId launch(Recording listener) throws InterruptedException {
    LaunchId id = LaunchId.random();
    listener.attach(backend.launch(request(id), listener, soon()));
    return id;
  }

  private static LaunchRequest request(LaunchId id) {
    return new LaunchRequest(
        id, List.of("sleep", "300"), Map.of(), Optional.empty(), Optional.empty(), false);
  }

  private void refused(ErrorCode code, String state) {
    assertThatThrownBy(() -> backend.launch(request(LaunchId.random()), new Recording(), soon()))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(code);
              assertThat(e.context()).containsEntry("state", state);
            });
  }

  private static void lost(Recording listener) throws Exception {
    assertThat(DockerFixture.until(Duration.ofSeconds(10), () -> listener.exits() == 1)).isTrue();
    assertThat(listener.closes()).isEqualTo(1);
    // It did not end by itself: killed, or nobody knows.
    assertThat(listener.status().orElseThrow()).isNotInstanceOf(ExitStatus.Exited.class);
  }

  @Test
  void aPausedContainerRefusesLaunchesAndProvesNothing() throws Exception {
    LaunchId id = launch(new Recording());
    DockerFixture.tell(client -> client.pauseContainerCmd(container).exec());
    refused(ErrorCode.BACKEND_NOT_RUNNING, "PAUSED");
    Deadline two = Deadline.after(Duration.ofSeconds(2));
    assertThat(
            DockerFixture.timed(
                () -> {
                  assertThat(backend.kill(id, two))
                      .isInstanceOf(TerminationOutcome.Unconfirmed.class);
                  return true;
                }))
        .isLessThan(Duration.ofSeconds(4));
    assertThat(backend.probe(soon())).isEqualTo(Liveness.UNKNOWN);
    DockerFixture.tell(client -> client.unpauseContainerCmd(container).exec());
    assertThat(backend.kill(id, soon()).proven()).isTrue();
    assertThat(backend.probe(soon())).isEqualTo(Liveness.RUNNING);
  }

  @Test
  void aStoppedContainerEndsItsLaunchesAndProvesIt() throws Exception {
    Recording listener = new Recording();
    LaunchId id = launch(listener);
    DockerFixture.tell(client -> client.stopContainerCmd(container).withTimeout(1).exec());
    lost(listener);
    refused(ErrorCode.BACKEND_NOT_RUNNING, "STOPPED");
    assertThat(backend.kill(id, soon())).isEqualTo(TerminationOutcome.alreadyGone());
    assertThat(backend.probe(soon())).isEqualTo(Liveness.UNKNOWN);
  }

  @Test
  void aRestartedContainerWorksAndItsEarlierLaunchesAreGone() throws Exception {
    Recording listener = new Recording();
    LaunchId id = launch(listener);
    DockerFixture.tell(client -> client.restartContainerCmd(container).withTimeout(1).exec());
    lost(listener);
    assertThat(backend.kill(id, soon())).isEqualTo(TerminationOutcome.alreadyGone());
    Recording second = new Recording();
    LaunchId next = launch(second);
    assertThat(backend.kill(next, soon()).proven()).isTrue();
    assertThat(DockerFixture.until(Duration.ofSeconds(5), () -> second.exits() == 1)).isTrue();
    assertThat(second.status()).contains(new ExitStatus.Signalled(9));
  }

  @Test
  void aRemovedContainerIsGone() throws Exception {
    Recording listener = new Recording();
    LaunchId id = launch(listener);
    DockerFixture.tell(client -> client.removeContainerCmd(container).withForce(true).exec());
    lost(listener);
    refused(ErrorCode.BACKEND_GONE, "GONE");
    assertThat(backend.kill(id, soon())).isEqualTo(TerminationOutcome.alreadyGone());
    assertThat(backend.probe(soon())).isEqualTo(Liveness.GONE);
    assertThatThrownBy(() -> provider.attach(backend.ref(), soon()))
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.BACKEND_GONE));
    assertThat(provider.delete(backend.ref(), soon())).isEqualTo(ReleaseOutcome.ALREADY_GONE);
  }

  @Test
  void aStoppedContainerIsStartedByAnAttach() throws Exception {
    backend.files().write("kept", new java.io.ByteArrayInputStream(new byte[] {1}), soon());
    DockerFixture.tell(client -> client.stopContainerCmd(container).withTimeout(1).exec());
    SandboxBackend again = provider.attach(backend.ref(), soon());
    assertThat(again.probe(soon())).isEqualTo(Liveness.RUNNING);
    assertThat(again.files().stat("kept", soon()).size()).isEqualTo(1);
    again.release(soon());
  }

  @Test
  void theControlShellMayBeKilledByTheSandbox() throws Exception {
    LaunchId id = launch(new Recording());
    LaunchId assassin = LaunchId.random();
    Recording listener = new Recording();
    var unused =
        backend.launch(
            new LaunchRequest(
                assassin,
                List.of("sh", "-c", "kill -9 -1"),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                false),
            listener,
            soon());
    assertThat(DockerFixture.until(Duration.ofSeconds(10), () -> listener.exits() == 1)).isTrue();
    assertThat(backend.kill(id, soon()).proven()).isTrue();
    LaunchId next = launch(new Recording());
    assertThat(backend.kill(next, soon())).isEqualTo(TerminationOutcome.confirmed());
  }
}
