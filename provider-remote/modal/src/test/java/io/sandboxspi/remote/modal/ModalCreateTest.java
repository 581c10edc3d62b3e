package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.fake.support.UntrustedPeer;
import io.sandboxspi.fake.support.VendorFixture;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.SandboxBackend;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Making sandboxes: one typed error for each thing that goes wrong, and nothing left. */
@Execution(ExecutionMode.CONCURRENT)
class ModalCreateTest {
  private static final String CREATE = "SandboxCreateV2";

  private final Fixture fixture = new Fixture();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake().faults().unused()).as("faults that nobody met").isZero();
  }

  private static SandboxSession open(ModalProvider provider, int seconds, String... options)
      throws InterruptedException {
    SandboxSpec.Builder spec = SandboxSpec.builder().createTimeout(Duration.ofSeconds(seconds));
    for (int i = 0; i < options.length; i += 2) {
      spec.option(options[i], options[i + 1]);
    }
    return EngineSession.open(provider, spec.build(), EngineOptions.defaults());
  }

  private SandboxException refuses(ModalProvider provider, int seconds, String... options)
      throws Exception {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> open(provider, seconds, options).close());
    assertThat(failure).isNotNull();
    assertThat(VendorFixture.words(failure))
        .doesNotContain(ModalFake.TOKEN_SECRET, ModalFake.TOKEN_ID);
    assertThat(VendorFixture.until(() -> fixture.fake().sandboxes() == 0))
        .as("no sandbox is left")
        .isTrue();
    return failure;
  }

  @Test
  void aWrongTokenIsSaid() throws Exception {
    SandboxException failure =
        refuses(fixture.provider("MODAL_TOKEN_SECRET", "as-never-to-be-seen"), 20);
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.context()).containsEntry("vendorCode", "unauthenticated");
    assertThat(VendorFixture.words(failure)).doesNotContain("as-never-to-be-seen");
  }

  @Test
  void anAddressThatLeadsNowhereWasNotAskedForAnything() throws Exception {
    SandboxException failure =
        refuses(fixture.provider("MODAL_SERVER_URL", "http://127.0.0.1:1"), 20);
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @Test
  void anotherServerIsTriedWhereOneCannotBeReached() throws Exception {
    String good = fixture.fake().settings().get("MODAL_SERVER_URL");
    open(fixture.provider("MODAL_SERVER_URL", "http://127.0.0.1:1," + good), 20).close();
  }

  @Test
  void aServerWithoutEncryptionIsNotBelieved() throws Exception {
    String address = fixture.fake().settings().get("MODAL_SERVER_URL").replace("http:", "https:");
    SandboxException failure = refuses(fixture.provider("MODAL_SERVER_URL", address), 3);
    assertThat(failure.code()).isIn(ErrorCode.CREATE_FAILED, ErrorCode.BACKEND_UNRESPONSIVE);
  }

  @Test
  void aPeerThatCannotProveItselfIsNotTalkedTo(@TempDir Path directory) throws Exception {
    try (UntrustedPeer peer = new UntrustedPeer(directory)) {
      SandboxException failure = refuses(fixture.provider("MODAL_SERVER_URL", peer.address()), 20);
      assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
      assertThat(failure.context()).containsEntry("failure", "TLS");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
    }
  }

  @ParameterizedTest
  @CsvSource({
    // A message of 100 MiB and one byte, of which nothing comes
    "0006400001, TOO_LARGE",
    // Three bytes of ten
    "000000000a010203, REFUSED",
    // No message of the protocol
    "0000000003ffffff, MALFORMED",
  })
  void anAnswerThatIsSpoiltIsOneError(String bytes, String failure) throws Exception {
    try (SpoiltServer server = new SpoiltServer(HexFormat.of().parseHex(bytes))) {
      SandboxException said = refuses(fixture.provider("MODAL_SERVER_URL", server.address()), 20);
      assertThat(said.code()).isEqualTo(ErrorCode.CREATE_FAILED);
      assertThat(said.context()).containsEntry("failure", failure);
    }
  }

  @Test
  void aPageOfAProxyIsNoAnswer() throws Exception {
    try (ServerSocket proxy = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
      CompletableFuture<Void> serving =
          CompletableFuture.runAsync(
              () -> {
                try {
                  while (true) {
                    try (Socket client = proxy.accept();
                        OutputStream out = client.getOutputStream()) {
                      out.write(
                          "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<html>sign in</html>"
                              .getBytes(StandardCharsets.UTF_8));
                    }
                  }
                } catch (java.io.IOException closed) {
                  assert closed.getMessage() != null;
                }
              });
      SandboxException failure =
          refuses(
              fixture.provider("MODAL_SERVER_URL", "http://127.0.0.1:" + proxy.getLocalPort()), 20);
      assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
      assertThat(failure).hasMessageNotContaining("<html>");
      assertThat(serving).isNotDone();
    }
  }

  @Test
  void anImageThatCannotBeMadeIsSaid() throws Exception {
    SandboxException failure = refuses(fixture.provider(), 20, "image", "nothing");
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining("nothing").hasMessageContaining("pull access denied");
  }

  @Test
  void anImageIsWaitedForAcrossABrokenStream() throws Exception {
    fixture.fake().faults().on("ImageJoinStreaming", new Fault.CutStream(1));
    open(fixture.provider(), 20, "image", "debian:13").close();
    assertThat(fixture.fake().faults().count("ImageJoinStreaming")).isEqualTo(2);
    open(fixture.provider(), 20, "image", "debian:13").close();
    assertThat(fixture.fake().faults().count("ImageJoinStreaming")).as("it is known").isEqualTo(2);
  }

  @Test
  void anUnknownEnvironmentAndImageAreSaid() throws Exception {
    assertThat(refuses(fixture.provider("MODAL_ENVIRONMENT", "nowhere"), 20))
        .hasMessageContaining("environment");
    assertThat(refuses(fixture.provider(), 20, "image", "im-0123456789"))
        .hasMessageContaining("im-0123456789");
  }

  @Test
  void aNameThatIsTakenIsSaid() throws Exception {
    try (SandboxSession first = open(fixture.provider(), 20, "name", "only-one")) {
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class, () -> open(fixture.provider(), 20, "name", "only-one"));
      assertThat(failure).hasMessageContaining("only-one");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
      assertThat(VendorFixture.output(first, "echo lives")).isEqualTo("lives\n");
    }
  }

  @Test
  void aFullAccountIsSaid() throws Exception {
    fixture.fake().limit(0);
    SandboxException failure = refuses(fixture.provider(), 20);
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining("limit");
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @Test
  void thePauseThatTheVendorAsksForIsWaitedForUnlessItIsTooLong() throws Exception {
    fixture.fake().faults().on(CREATE, Fault.tooMany(0), Fault.tooMany(0), Fault.tooMany(0));
    fixture.fake().faults().on(CREATE, Fault.tooMany(0), Fault.tooMany(0), Fault.tooMany(1));
    open(fixture.provider(), 20).close();
    assertThat(fixture.fake().faults().count(CREATE)).as("more than are sent again").isEqualTo(7);
    fixture.fake().faults().on(CREATE, Fault.tooMany(3600));
    assertThat(refuses(fixture.provider(), 20).retryable()).isEqualTo(Retryable.YES);
    fixture.fake().faults().on(CREATE, Fault.tooMany(1));
    assertThat(refuses(fixture.provider("MODAL_MAX_THROTTLE_WAIT", "0"), 20).retryable())
        .isEqualTo(Retryable.YES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "500", "503"})
  void aCreationThatIsSentAgainMakesOneSandbox(String how) throws Exception {
    Fault fault = how.equals("cut") ? new Fault.CutAfter() : Fault.error(Integer.parseInt(how));
    fixture.fake().faults().on(CREATE, fault);
    try (SandboxSession session = open(fixture.provider(), 20)) {
      assertThat(session.backend().data()).containsKey("sandbox");
      assertThat(fixture.fake().sandboxes()).isEqualTo(1);
      assertThat(fixture.fake().faults().count(CREATE)).isEqualTo(2);
    }
  }

  @Test
  void aSandboxThatWasMadeWithoutAnAnswerIsFoundAndEnded() throws Exception {
    fixture.fake().faults().on(CREATE, new Fault.Stall());
    SandboxException failure = refuses(fixture.provider(), 5);
    assertThat(failure.retryable()).isNotEqualTo(Retryable.NO);
    assertThat(VendorFixture.until(() -> fixture.fake().faults().count("SandboxListV2") >= 2))
        .as("a page, and the end")
        .isTrue();
  }

  @Test
  void aSandboxThatIsMadeAfterItsCreationWasGivenUpIsEnded() throws Exception {
    ModalProvider provider = fixture.provider();
    open(provider, 20).close();
    int before = fixture.fake().faults().count("SandboxTerminateV2");
    fixture.fake().creationMillis(3000);
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> open(provider, 2).close());
    assertThat(failure).isNotNull();
    assertThat(
            VendorFixture.until(
                () -> fixture.fake().faults().count("SandboxTerminateV2") == before + 1))
        .isTrue();
    assertThat(VendorFixture.until(() -> fixture.fake().sandboxes() == 0)).isTrue();
  }

  @Test
  void noMoreThanEightAreMadeAtATime() throws Exception {
    fixture.fake().creationMillis(100);
    ModalProvider provider = fixture.provider();
    List<CompletableFuture<SandboxBackend>> all = new ArrayList<>();
    for (int i = 0; i < 20; i++) {
      String session = "many-" + i;
      CompletableFuture<SandboxBackend> one = new CompletableFuture<>();
      FakeThreads.start(
          "many",
          () -> {
            try {
              one.complete(
                  provider.create(
                      new BackendRequest(session, Map.of()), VendorFixture.seconds(30)));
            } catch (InterruptedException | RuntimeException e) {
              one.completeExceptionally(e);
            }
          });
      all.add(one);
    }
    for (CompletableFuture<SandboxBackend> one : all) {
      one.get(60, TimeUnit.SECONDS).detach(VendorFixture.seconds(5));
    }
    assertThat(fixture.fake().sandboxes()).isEqualTo(20);
    assertThat(fixture.fake().faults().count("AuthTokenGet")).as("one token for all").isEqualTo(1);
  }

  @Test
  void oneWhoseTurnDoesNotComeInTimeWasNotAskedFor() throws Exception {
    ModalProvider provider = fixture.provider();
    open(provider, 20).close();
    fixture.fake().creationMillis(20_000);
    for (int i = 0; i < 8; i++) {
      FakeThreads.start("many", () -> openQuietly(provider));
    }
    assertThat(VendorFixture.until(() -> fixture.fake().faults().count(CREATE) == 9)).isTrue();
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> open(provider, 1));
    assertThat(failure.retryable()).isNotEqualTo(Retryable.NO);
    assertThat(fixture.fake().faults().count(CREATE)).isEqualTo(9);
  }

  private static void openQuietly(ModalProvider provider) {
    try {
      open(provider, 20).close();
    } catch (InterruptedException | SandboxException closing) {
      assert closing.getMessage() != null;
    }
  }

  @Test
  void aRouterThatCannotProveItselfIsNotTalkedTo(@TempDir Path directory) throws Exception {
    // Not one of the names that stand for this machine, which go without encryption.
    String host = "127.0.0.2";
    ModalProvider provider = fixture.provider();
    try (UntrustedPeer peer = new UntrustedPeer(directory, InetAddress.getByName(host))) {
      fixture.fake().reachedAt(host + ":" + peer.port());
      SandboxException failure = refuses(provider, 20);
      assertThat(failure.context()).containsEntry("failure", "TLS");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
    }
  }

  @Test
  void aRouterThatIsNowhereIsWaitedForAndItsSandboxEnded() throws Exception {
    ModalProvider provider = fixture.provider();
    fixture.fake().reachedAt("127.0.0.1:1");
    SandboxException failure = refuses(provider, 2);
    assertThat(failure.retryable()).isNotEqualTo(Retryable.NO);
  }

  @Test
  void aSandboxWhoseRouterDoesNotWorkIsEnded() throws Exception {
    fixture.fake().faults().on("TaskExecStart", Fault.error(400));
    assertThat(refuses(fixture.provider(), 20).code()).isEqualTo(ErrorCode.CREATE_FAILED);
  }

  @Test
  void sandboxesOfTheFirstKindAreMadeWhereTheyAreWantedOrNeeded() throws Exception {
    try (SandboxSession session = open(fixture.provider("MODAL_SANDBOX_V2", "0"), 20)) {
      assertThat(VendorFixture.output(session, "echo first")).isEqualTo("first\n");
      assertThat(ControlPlane.firstKind(session.backend().data().get("sandbox"))).isTrue();
      assertThat(fixture.fake().faults().count("SandboxGetTaskId"))
          .as("it has no machine at first")
          .isEqualTo(2);
    }
    try (SandboxSession session = open(fixture.provider(), 20, "gpu", "T4")) {
      assertThat(ControlPlane.firstKind(session.backend().data().get("sandbox"))).isTrue();
    }
    assertThat(fixture.fake().faults().count(CREATE)).isZero();
    assertThat(VendorFixture.until(() -> fixture.fake().sandboxes() == 0)).isTrue();
  }

  @Test
  void aSandboxOfTheFirstKindIsFoundAgainByASessionOfTheSecond() throws Exception {
    SandboxSession first = open(fixture.provider("MODAL_SANDBOX_V2", "0"), 20);
    first.files().write("kept", "it".getBytes(StandardCharsets.UTF_8));
    Checkpoint checkpoint = first.detach();
    try (SandboxSession again =
        EngineSession.resume(
            fixture.provider(),
            checkpoint,
            SandboxSpec.defaults(),
            false,
            EngineOptions.defaults())) {
      assertThat(VendorFixture.output(again, "cat kept")).isEqualTo("it");
      again.delete();
    }
    assertThat(VendorFixture.until(() -> fixture.fake().sandboxes() == 0)).isTrue();
    for (String call : List.of("SandboxTerminate", "TaskGetCommandRouterAccess")) {
      assertThat(fixture.fake().faults().count(call)).as(call).isPositive();
    }
    assertThat(fixture.fake().faults().count("SandboxTerminateV2")).isZero();
  }

  @Test
  void aTokenThatTheVendorForgotIsFetchedAgain() throws Exception {
    ModalProvider provider = fixture.provider();
    open(provider, 20).close();
    int before = fixture.fake().faults().count("AuthTokenGet");
    open(provider, 20).close();
    assertThat(fixture.fake().faults().count("AuthTokenGet")).as("it is kept").isEqualTo(before);
    fixture.fake().tokens().expire();
    open(provider, 20).close();
    assertThat(fixture.fake().faults().count("AuthTokenGet")).isEqualTo(before + 1);
  }
}
