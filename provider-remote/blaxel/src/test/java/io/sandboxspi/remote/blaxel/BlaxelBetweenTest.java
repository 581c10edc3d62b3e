package io.sandboxspi.remote.blaxel;

import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.blaxel.BlaxelFake;
import io.sandboxspi.fake.support.UntrustedPeer;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.file.Path;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/** What may stand between here and the vendor: strangers, pages of proxies, stale connections. */
@Execution(ExecutionMode.CONCURRENT)
class BlaxelBetweenTest {
  private final BlaxelFixture fixture = new BlaxelFixture();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake.faults().unused()).as("faults that nobody met").isZero();
  }

  private SandboxException refusesToOpen(BlaxelProvider provider) throws Exception {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> BlaxelFixture.open(provider, Map.of()).close());
    assertThat(failure).isNotNull();
    assertThat(BlaxelFixture.words(failure)).doesNotContain(BlaxelFake.KEY);
    assertThat(BlaxelFixture.until(() -> fixture.fake.sandboxes() == 0))
        .as("none is left")
        .isTrue();
    return failure;
  }

  // The sandbox's own address

  @Test
  void anAgentThatCannotProveItselfIsNotTalkedToAndItsSandboxDeleted(@TempDir Path directory)
      throws Exception {
    try (UntrustedPeer peer = new UntrustedPeer(directory)) {
      SandboxException failure = refusesToOpen(fixture.provider("BL_SANDBOX_URL", peer.address()));
      assertThat(failure.context()).containsEntry("failure", "TLS");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
    }
  }

  @Test
  void anAgentThatIsNowhereIsOneErrorAndItsSandboxDeleted() throws Exception {
    SandboxException failure =
        refusesToOpen(fixture.provider("BL_SANDBOX_URL", "http://127.0.0.1:1"));
    assertThat(failure).hasMessageContaining("127.0.0.1");
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @Test
  void aPageInTheAgentsPlaceIsOneErrorAndEndsNothing() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      String name = session.backend().data().get("sandbox");
      fixture.fake.faults().on("GET /sbx/" + name + "/terminal/ws", Fault.page(404));
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
      assertThat(failure.code()).isIn(ErrorCode.LAUNCH_FAILED, ErrorCode.TRANSPORT);
      assertThat(BlaxelFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  // A page says nothing of the sandbox

  private SandboxException refusesToAttach(BackendRef ref) {
    return catchThrowableOfType(
        SandboxException.class,
        () -> {
          Object unused = fixture.provider().attach(ref, BlaxelFixture.seconds(20));
        });
  }

  @Test
  void onlyTheVendorSaysThatASandboxIsGone() throws Exception {
    BlaxelProvider provider = fixture.provider();
    SandboxBackend backend =
        provider.create(new BackendRequest("between", Map.of()), BlaxelFixture.seconds(30));
    BackendRef ref = backend.ref();
    String path = "/v0/sandboxes/" + ref.data().get("sandbox");
    fixture.fake.faults().on("GET " + path, Fault.page(404));
    assertThat(backend.probe(BlaxelFixture.seconds(20))).isEqualTo(Liveness.UNKNOWN);
    fixture.fake.faults().on("GET " + path, Fault.page(404));
    assertThat(refusesToAttach(ref).code()).isNotEqualTo(ErrorCode.BACKEND_GONE);
    fixture.fake.faults().on("DELETE " + path, Fault.page(404));
    SandboxException kept =
        catchThrowableOfType(
            SandboxException.class,
            () -> {
              Object unused = fixture.provider().delete(ref, BlaxelFixture.seconds(20));
            });
    assertThat(kept.code()).isEqualTo(ErrorCode.BACKEND_RELEASE_FAILED);
    assertThat(fixture.fake.sandboxes()).isEqualTo(1);
    assertThat(fixture.provider().delete(ref, BlaxelFixture.seconds(20)))
        .isEqualTo(ReleaseOutcome.DESTROYED);
    assertThat(refusesToAttach(ref).code()).isEqualTo(ErrorCode.BACKEND_GONE);
    assertThat(backend.probe(BlaxelFixture.seconds(20))).isEqualTo(Liveness.GONE);
    backend.detach(BlaxelFixture.seconds(5));
  }

  @Test
  void aKillBehindAProxyThatIsBrokenIsNotProven() throws Exception {
    SandboxBackend backend =
        fixture
            .provider()
            .create(new BackendRequest("between", Map.of()), BlaxelFixture.seconds(30));
    String name = backend.ref().data().get("sandbox");
    // Nothing in it answers any more.
    fixture.sandbox(name).status("DEACTIVATED");
    fixture.fake.cutConnections();
    fixture.fake.faults().on("GET /v0/sandboxes/" + name, Fault.page(404));
    assertThat(backend.kill(LaunchId.random(), BlaxelFixture.seconds(3)).proven()).isFalse();
    fixture.sandbox(name).status("DEPLOYED");
    backend.detach(BlaxelFixture.seconds(5));
  }

  // Connections

  @Test
  void noConnectionIsSharedByStreamsSoThatNoneGoesStale() throws Exception {
    try (ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      CompletableFuture<String> head = new CompletableFuture<>();
      FakeThreads.start(
          "head",
          () -> {
            // Nobody is there for a second one.
            try (server;
                Socket client = server.accept()) {
              byte[] begun = new byte[4096];
              int length = client.getInputStream().read(begun);
              head.complete(new String(begun, 0, Math.max(0, length), US_ASCII));
            } catch (IOException e) {
              head.completeExceptionally(e);
            }
          });
      String address = "http://127.0.0.1:" + server.getLocalPort() + "/v0";
      assertThat(refusesToOpen(fixture.provider("BL_API_URL", address))).isNotNull();
      assertThat(head.get(20, TimeUnit.SECONDS))
          .contains(" HTTP/1.1\r\n")
          .doesNotContainIgnoringCase("upgrade", "http2-settings");
    }
  }

  @Test
  void connectionsThatWentStaleAreMadeAnew() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      assertThat(BlaxelFixture.output(session, "echo up")).isEqualTo("up\n");
      session.files().write("file", "kept".getBytes(US_ASCII));
      fixture.fake.cutConnections();
      assertThat(BlaxelFixture.output(session, "cat file")).isEqualTo("kept");
      assertThat(new String(session.files().read("file"), US_ASCII)).isEqualTo("kept");
    }
  }
}
