package io.sandboxspi.remote.cloudflare;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.cloudflare.CloudflareFake;
import io.sandboxspi.fake.support.UntrustedPeer;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRequest;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One typed error for each thing that goes wrong, nothing left, no secret in the text. */
@Execution(ExecutionMode.CONCURRENT)
class CloudflareFaultsTest {
  private static final String CREATE = "POST /v1/sandbox";
  private static final String WAKE = "GET /v1/sandbox/";

  private final CloudflareFixture fixture = new CloudflareFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  private SandboxException refusesToOpen(CloudflareProvider provider) throws Exception {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> CloudflareFixture.open(provider, Map.of()).close());
    assertThat(failure).isNotNull();
    assertThat(CloudflareFixture.words(failure)).doesNotContain(CloudflareFake.KEY);
    assertThat(CloudflareFixture.until(() -> fixture.fake().containers() == 0))
        .as("none is left")
        .isTrue();
    return failure;
  }

  @ParameterizedTest
  @CsvSource({
    "CLOUDFLARE_SANDBOX_WORKER_URL, deploy the sandbox bridge",
    "CLOUDFLARE_SANDBOX_API_KEY, SANDBOX_API_KEY"
  })
  void whatIsMissingIsSaidBeforeAnythingIsAsked(String name, String how) throws Exception {
    CloudflareProvider bare = fixture.provider(name, "");
    assertThat(bare.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class, no -> assertThat(no.reason()).contains(name, how));
    assertThat(refusesToOpen(bare).code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(fixture.fake().faults().count("POST")).isZero();
  }

  @Test
  void aWrongKeyIsSaid() throws Exception {
    SandboxException failure =
        refusesToOpen(fixture.provider("CLOUDFLARE_SANDBOX_API_KEY", "wrong"));
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.context()).containsEntry("status", "401");
  }

  @Test
  void anAddressThatLeadsNowhereWasNotAskedForAnything() throws Exception {
    SandboxException failure =
        refusesToOpen(fixture.provider("CLOUDFLARE_SANDBOX_WORKER_URL", "http://127.0.0.1:1"));
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @Test
  void aPeerThatCannotProveItselfIsNotTalkedTo(@TempDir Path directory) throws Exception {
    try (UntrustedPeer peer = new UntrustedPeer(directory)) {
      SandboxException failure =
          refusesToOpen(fixture.provider("CLOUDFLARE_SANDBOX_WORKER_URL", peer.address()));
      assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
      assertThat(failure.context()).containsEntry("failure", "TLS");
      assertThat(failure.retryable()).isEqualTo(Retryable.NO);
    }
  }

  @Test
  void thereIsNoListAndThatIsSaid() throws Exception {
    try (SandboxSession session = fixture.openPatient(Map.of())) {
      for (CloudflareProvider provider :
          List.of(fixture.provider(), fixture.provider("CLOUDFLARE_SANDBOX_API_KEY", "wrong"))) {
        SandboxException failure =
            catchThrowableOfType(
                SandboxException.class,
                () -> provider.list(Map.of(), CloudflareFixture.seconds(10)));
        assertThat(failure.code()).isEqualTo(ErrorCode.UNSUPPORTED);
        assertThat(failure).hasMessageContaining("keeps no list");
        assertThat(CloudflareFixture.words(failure)).doesNotContain(CloudflareFake.KEY, "wrong");
      }
      assertThat(
              catchThrowableOfType(
                  SandboxException.class,
                  () -> fixture.provider().list(Map.of(), CloudflareFixture.seconds(10))))
          .hasMessageContaining("in use now: 1");
      assertThat(CloudflareFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "403, application/json, '{\"error\":\"not yours\",\"code\":\"forbidden\"}', not yours",
    "200, application/json, '[1', JSON",
    "200, application/json, '{\"id\":\"../x\"}', no id",
    "200, text/html, <html>sign in</html>, HTML",
    "404, text/plain, Not Found, 404",
    "500, text/html, <html>error 1101</html>, 500",
  })
  void whatIsNoSandboxIsOneError(int status, String type, String body, String said)
      throws Exception {
    fixture.fake().faults().on(CREATE, new Fault.Refuse(status, type, body, -1));
    SandboxException failure = refusesToOpen(fixture.provider());
    assertThat(failure.code()).isIn(ErrorCode.CREATE_FAILED, ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure).hasMessageContaining(said);
  }

  @Test
  void aPoolThatIsFullIsSaidAndMayBeTriedAgain() throws Exception {
    fixture.fake().limit(1);
    try (SandboxSession session = fixture.openPatient(Map.of())) {
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> fixture.open(Map.of()).close());
      assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
      assertThat(failure).hasMessageContaining("instance limit reached (1/1)");
      assertThat(failure.retryable()).isEqualTo(Retryable.YES);
      assertThat(CloudflareFixture.output(session, "echo fine")).isEqualTo("fine\n");
    }
  }

  @Test
  void aContainerThatDoesNotStartAtOnceIsWaitedFor() throws Exception {
    Fault failed =
        new Fault.Refuse(
            502,
            "application/json",
            "{\"error\":\"pool error: Failed to start container\",\"code\":\"pool_error\"}",
            -1);
    fixture.fake().faults().on(WAKE, failed, failed);
    try (SandboxSession session = fixture.openPatient(Map.of())) {
      assertThat(CloudflareFixture.output(session, "echo a")).isEqualTo("a\n");
    }
    assertThat(fixture.fake().faults().unused()).isZero();
  }

  @Test
  void aWorkerThatSaysNothingIsLeftInTime() throws Exception {
    fixture.fake().faults().on(WAKE, new Fault.Stall());
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                fixture
                    .provider()
                    .create(new BackendRequest("stalled", Map.of()), CloudflareFixture.seconds(3)));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_UNRESPONSIVE);
    assertThat(CloudflareFixture.until(() -> fixture.fake().containers() == 0)).isTrue();
  }

  @Test
  void aContainerThatIsStoppedUnderATerminalEndsItAndIsNotStartedAgain() throws Exception {
    SandboxSession session = fixture.open(Map.of());
    PtyUpdate start = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(200)));
    fixture.fake().sleep(CloudflareFixture.id(session));
    PtyUpdate end = session.ptys().poll(start.id());
    // The server does not tell of it: the terminal is asked now and then whether it lives.
    for (int polls = 1; polls < 5 && end.endReason().isEmpty(); polls++) {
      end = session.ptys().poll(start.id());
    }
    assertThat(end.endReason()).contains(PtyEndReason.LOST);
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_GONE);
    session.close();
    assertThat(fixture.fake().containers()).isZero();
  }

  /** Until its kept shell is there, and as many terminals were connected to. */
  private void settled(SandboxSession session, int connections) throws Exception {
    String connect = "GET /v1/sandbox/" + CloudflareFixture.id(session) + "/pty";
    assertThat(
            CloudflareFixture.until(
                () ->
                    fixture.fake().faults().count(connect) >= connections
                        && fixture.container(session).sessions() == 1))
        .isTrue();
  }

  @ParameterizedTest
  @CsvSource({"half, 1", "page, 1", "huge, 1", "half, 3", "huge, 3"})
  void aFrameThatIsNoneOrTooLongIsMendedOrSaid(String how, int after) throws Exception {
    byte[] bytes =
        switch (how) {
          case "page" -> "<html>sign in</html>".getBytes(UTF_8);
          case "half" -> "{\"type\":\"err".getBytes(UTF_8);
          // A message may have 4 MiB.
          default -> "x".repeat((4 << 20) + 1).getBytes(UTF_8);
        };
    try (SandboxSession session = fixture.openPatient(Map.of())) {
      String request = "GET /v1/sandbox/" + CloudflareFixture.id(session) + "/pty";
      settled(session, 1);
      fixture.fake().faults().on(request, new Fault.SpoilStream(after, bytes));
      Command command = Command.shell("seq 1 30000").timeout(Duration.ofSeconds(60));
      try {
        ExecResult result = session.exec(command);
        if (!(result.status() instanceof ExitStatus.Lost)) {
          assertThat(result.status()).isEqualTo(new ExitStatus.Exited(0));
          assertThat(result.stdout().text()).endsWith("\n29999\n30000\n");
        }
      } catch (SandboxException failure) {
        // Before the program was there.
        assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT);
        assertThat(CloudflareFixture.words(failure)).doesNotContain(CloudflareFake.KEY);
      }
      assertThat(fixture.fake().faults().unused()).isZero();
      assertThat(CloudflareFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  @ParameterizedTest
  @CsvSource({"page", "error", "exit", "cut"})
  void aGreetingThatIsNotBelievedIsAnError(String how) throws Exception {
    byte[] exit = "event: exit\ndata: {\"exit_code\":0}\n\n".getBytes();
    fixture
        .fake()
        .faults()
        .on(
            "POST /v1/sandbox/",
            switch (how) {
              case "page" -> Fault.page(200);
              case "error" -> Fault.error(502);
              case "exit" -> new Fault.SpoilStream(0, exit);
              default -> new Fault.CutStream(0);
            });
    assertThat(refusesToOpen(fixture.provider()).code()).isEqualTo(ErrorCode.CREATE_FAILED);
  }

  @ParameterizedTest
  @CsvSource({
    "POST /v1/sandbox/ID/session, 502",
    "POST /v1/sandbox/ID/session, 0",
    "GET /v1/sandbox/ID/pty, 502",
    "GET /v1/sandbox/ID/pty, 0"
  })
  void aLaunchThatFailsIsOneErrorAndLeavesNothing(String request, int status) throws Exception {
    try (SandboxSession session = fixture.openPatient(Map.of())) {
      assertThat(CloudflareFixture.output(session, "echo a")).isEqualTo("a\n");
      settled(session, 2);
      fixture
          .fake()
          .faults()
          .on(
              request.replace("ID", CloudflareFixture.id(session)),
              status > 0
                  ? Fault.error(status)
                  : request.startsWith("GET") ? new Fault.CutStream(0) : new Fault.CutAfter());
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class, () -> session.exec(Command.shell("echo b >> ran")));
      assertThat(failure.code()).isIn(ErrorCode.TRANSPORT, ErrorCode.LAUNCH_FAILED);
      assertThat(CloudflareFixture.words(failure)).doesNotContain(CloudflareFake.KEY);
      // A terminal that is cut may have taken its line before.
      boolean typed = request.startsWith("GET") && status == 0;
      assertThat(CloudflareFixture.output(session, "cat ran 2>/dev/null || :"))
          .isIn("", typed ? "b\n" : "");
      assertThat(CloudflareFixture.until(() -> fixture.container(session).sessions() == 1))
          .as("sessions: %s", fixture.container(session).sessions())
          .isTrue();
    }
  }
}
