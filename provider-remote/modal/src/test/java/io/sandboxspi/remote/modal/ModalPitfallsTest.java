package io.sandboxspi.remote.modal;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.Command;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.Snapshot;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.support.VendorFixture;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others have met with this vendor. */
@Execution(ExecutionMode.CONCURRENT)
class ModalPitfallsTest {
  private final Fixture fixture = new Fixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void aCommandThatTakesTooLongIsEndedAndNeverTheSandboxNorOthers() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      PtyUpdate other =
          session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(300)));
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class,
              () -> session.exec(Command.shell("sleep 60").timeout(Duration.ofMillis(300))));
      assertThat(failure.code()).isEqualTo(ErrorCode.EXEC_TIMEOUT);
      assertThat(fixture.fake().sandboxes()).isEqualTo(1);
      assertThat(VendorFixture.output(session, "echo on")).isEqualTo("on\n");
      assertThat(session.ptys().write(other.id(), "hi\n").output()).contains("hi");
    }
  }

  @Test
  void aTerminalIsNotEndedWithoutInputAndItsSizeCanBeChanged() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      PtyUpdate update =
          session
              .ptys()
              .start(
                  PtyRequest.shell("trap 'stty size' WINCH; stty size; while :; do sleep 0.1; done")
                      .terminal(new TerminalSize(90, 30))
                      .collectFor(Duration.ofMillis(500)));
      session.ptys().resize(update.id(), new TerminalSize(99, 33));
      assertThat(VendorFixture.seen(session, update.id(), update.output(), "33 99"))
          .contains("30 90", "33 99");
    }
  }

  @Test
  void aTerminalThatEndsAtOnceHasItsOutputAndItsCode() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      for (int i = 0; i < 3; i++) {
        ExecResult result =
            session.exec(Command.shell("seq 1 2000; exit 9").terminal(TerminalSize.DEFAULT));
        assertThat(result.stdout().text()).startsWith("1\r\n").endsWith("\r\n2000\r\n");
        assertThat(result.status()).isEqualTo(new ExitStatus.Exited(9));
      }
    }
  }

  @Test
  void anOpenSessionKeepsASandboxFromItsIdleTimeout() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("idle-timeout", "3"))) {
      assertThat(VendorFixture.output(session, "echo up")).isEqualTo("up\n");
      boolean unused = new CountDownLatch(1).await(3500, TimeUnit.MILLISECONDS);
      assertThat(VendorFixture.output(session, "echo on")).isEqualTo("on\n");
      Object left = session.detach();
      assertThat(VendorFixture.until(() -> fixture.fake().sandboxes() == 0)).isTrue();
      assertThat(left).isNotNull();
    }
  }

  @Test
  void portsHaveEncryptedTunnels() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("ports", "8080,9000"))) {
      Endpoint endpoint = session.endpoint(9000);
      assertThat(endpoint.tls()).isTrue();
      assertThat(endpoint.uri("http", "/x").toString()).startsWith("https://").endsWith("/x");
      assertThat(fixture.fake().faults().count("SandboxGetTunnels")).as("it is known").isZero();
      Checkpoint checkpoint = session.detach();
      try (SandboxSession again =
          EngineSession.resume(
              fixture.provider(),
              checkpoint,
              SandboxSpec.defaults(),
              false,
              EngineOptions.defaults())) {
        assertThat(again.endpoint(9000)).isEqualTo(endpoint);
        assertThat(fixture.fake().faults().count("SandboxGetTunnelsV2")).isEqualTo(1);
      }
    }
  }

  @Test
  void tunnelsThatStallOrAreLateAreOneErrorAndAskedForAgain() throws Exception {
    ModalProvider provider = fixture.provider();
    SandboxBackend made =
        provider.create(
            new BackendRequest("tunnels", Map.of("ports", "9000")), VendorFixture.seconds(20));
    made.detach(VendorFixture.seconds(5));
    SandboxBackend again = provider.attach(made.ref(), VendorFixture.seconds(20));
    fixture.fake().faults().on("SandboxGetTunnelsV2", new Fault.Stall());
    assertThat(refusesPort(again, 1).retryable()).isNotEqualTo(Retryable.NO);
    fixture.fake().lateTunnels(1);
    assertThat(refusesPort(again, 20)).hasMessageContaining("not ready");
    assertThat(again.endpoint(9000, VendorFixture.seconds(20)).tls()).isTrue();
    again.detach(VendorFixture.seconds(5));
  }

  private static SandboxException refusesPort(SandboxBackend backend, int seconds) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () -> {
              Object unused = backend.endpoint(9000, VendorFixture.seconds(seconds));
            });
    assertThat(failure.code()).isEqualTo(ErrorCode.PORT_UNAVAILABLE);
    return failure;
  }

  @ParameterizedTest
  @ValueSource(strings = {"filesystem", "directory"})
  void theVendorsSnapshotsHoldWhatWasWrittenLast(String kind) throws Exception {
    ModalProvider provider = fixture.provider("SANDBOX_MODAL_SNAPSHOTS", kind);
    assertThat(provider.capabilities()).contains(Capability.NATIVE_SNAPSHOTS);
    String space = UUID.randomUUID().toString();
    SandboxSpec spec =
        SandboxSpec.builder()
            .snapshots(
                SnapshotPolicy.in(MemorySnapshots.NAME)
                    .option(MemorySnapshots.SPACE, space)
                    .keep(1))
            .build();
    try {
      SandboxSession session = EngineSession.open(provider, spec, EngineOptions.defaults());
      session.files().write("dir/a", "one".getBytes(UTF_8));
      Object unused = session.stop();
      session.files().write("dir/a", "two".getBytes(UTF_8));
      session.close();
      assertThat(fixture.fake().sandboxes()).isZero();
      assertThat(fixture.fake().snapshots()).as("the older one is deleted").isEqualTo(1);
      Checkpoint checkpoint = session.checkpoint();
      assertThat(checkpoint.snapshot().map(Snapshot::kind)).contains(Snapshot.Kind.NATIVE);
      SandboxSession again =
          EngineSession.resume(provider, checkpoint, spec, false, EngineOptions.defaults());
      assertThat(new String(again.files().read("dir/a"), UTF_8)).isEqualTo("two");
      assertThat(VendorFixture.output(again, "cat dir/a")).isEqualTo("two");
      again.delete();
    } finally {
      MemorySnapshots.clear(space);
    }
  }

  @Test
  void whatASnapshotThatFailsKeepsIsTheSandbox() throws Exception {
    ModalProvider provider = fixture.provider("SANDBOX_MODAL_SNAPSHOTS", "directory");
    SandboxBackend backend =
        provider.create(new BackendRequest("s", Map.of()), VendorFixture.seconds(20));
    fixture.fake().faults().on("TaskSnapshotDirectory", Fault.error(400));
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                provider
                    .nativeSnapshots()
                    .orElseThrow()
                    .take(backend.ref(), VendorFixture.seconds(5)));
    assertThat(failure.code()).isEqualTo(ErrorCode.SNAPSHOT_FAILED);
    assertThat(fixture.fake().sandboxes()).isEqualTo(1);
    assertThat(provider.delete(backend.ref(), VendorFixture.seconds(10)))
        .isEqualTo(ReleaseOutcome.DESTROYED);
    assertThat(provider.delete(backend.ref(), VendorFixture.seconds(10)))
        .isEqualTo(ReleaseOutcome.ALREADY_GONE);
  }

  @Test
  void whoAttachesIsTheOwnerUnlessTheSandboxIsDurable() throws Exception {
    ModalProvider provider = fixture.provider();
    SandboxBackend durable =
        provider.create(new BackendRequest("kept", Map.of(), true), VendorFixture.seconds(20));
    SandboxBackend passing =
        provider.create(new BackendRequest("passing", Map.of()), VendorFixture.seconds(20));
    for (SandboxBackend each : List.of(durable, passing)) {
      each.detach(VendorFixture.seconds(5));
      SandboxBackend again = provider.attach(each.ref(), VendorFixture.seconds(10));
      again.detach(VendorFixture.seconds(5));
    }
    List<ListedBackend> listed = provider.list(Map.of(), VendorFixture.seconds(10));
    assertThat(listed)
        .extracting(ListedBackend::sessionId, ListedBackend::owner)
        .containsExactlyInAnyOrder(
            org.assertj.core.groups.Tuple.tuple("kept", Owner.DURABLE),
            org.assertj.core.groups.Tuple.tuple("passing", Owner.current()));
    assertThat(provider.list(Map.of("app", "another"), VendorFixture.seconds(10))).isEmpty();
    for (ListedBackend each : listed) {
      assertThat(provider.delete(each.ref(), VendorFixture.seconds(10)))
          .isEqualTo(ReleaseOutcome.DESTROYED);
    }
  }

  @Test
  void aListHasAllPages() throws Exception {
    ModalProvider provider = fixture.provider();
    for (int i = 0; i < 3; i++) {
      provider
          .create(new BackendRequest("s" + i, Map.of()), VendorFixture.seconds(20))
          .detach(VendorFixture.seconds(5));
    }
    fixture.fake().page(2);
    assertThat(provider.list(Map.of(), VendorFixture.seconds(10))).hasSize(3);
    assertThat(fixture.fake().faults().count("SandboxListV2")).isEqualTo(3);
  }

  @Test
  void largeFilesGoThroughAndWhatCannotBeReadIsSaid() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      byte[] content = new byte[20_000_000];
      new java.util.Random(1).nextBytes(content);
      session.files().write("large", content);
      assertThat(session.files().read("large")).isEqualTo(content);
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.files().read("none"));
      assertThat(failure.code()).isEqualTo(ErrorCode.FILE_NOT_FOUND);
    }
  }
}
