package io.sandboxspi.remote.daytona;

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
import io.sandboxspi.fake.daytona.DaytonaFake;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** One typed error for each thing that goes wrong, nothing left, no secret in the text. */
@Execution(ExecutionMode.CONCURRENT)
class DaytonaFaultsTest {
  private static final String CREATE = "POST /api/sandbox";

  private final DaytonaFixture fixture = new DaytonaFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  private SandboxException refusesToOpen(DaytonaProvider provider, Map<String, String> options)
      throws Exception {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> DaytonaFixture.open(provider, options).close());
    assertThat(failure).isNotNull();
    assertThat(DaytonaFixture.words(failure)).doesNotContain(DaytonaFake.KEY);
    assertThat(DaytonaFixture.until(() -> fixture.fake.sandboxes() == 0))
        .as("none is left")
        .isTrue();
    return failure;
  }

  @Test
  void aMissingKeyIsSaidBeforeAnythingIsAsked() throws Exception {
    DaytonaProvider bare = DaytonaProvider.with(Map.of());
    assertThat(bare.availability())
        .isInstanceOfSatisfying(
            Availability.Unavailable.class,
            no -> assertThat(no.reason()).contains("DAYTONA_API_KEY"));
    assertThat(refusesToOpen(bare, Map.of()).code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
  }

  @Test
  void aWrongKeyIsSaid() throws Exception {
    SandboxException failure =
        refusesToOpen(fixture.provider("DAYTONA_API_KEY", "dtn_wrong"), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.context()).containsEntry("status", "401");
  }

  @Test
  void anAddressThatLeadsNowhereWasNotAskedForAnything() throws Exception {
    SandboxException failure =
        refusesToOpen(fixture.provider("DAYTONA_API_URL", "http://127.0.0.1:1/api"), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @Test
  void aPeerThatCannotProveItselfIsNotTalkedTo() throws Exception {
    String secure = fixture.fake.uri().toString().replace("http:", "https:") + "/api";
    SandboxException failure = refusesToOpen(fixture.provider("DAYTONA_API_URL", secure), Map.of());
    assertThat(failure.code()).isIn(ErrorCode.PROVIDER_UNAVAILABLE, ErrorCode.CREATE_FAILED);
  }

  @ParameterizedTest
  @CsvSource({
    "403, application/json, '{\"message\":\"quota exceeded\"}', quota exceeded",
    "200, application/json, '[1', JSON",
    "200, text/html, <html>sign in</html>, HTML",
    "307, text/html, <html>moved</html>, 307",
    "500, application/json, '{\"message\":\"it failed\"}', it failed",
  })
  void whatIsNoSandboxIsOneError(int status, String type, String body, String said)
      throws Exception {
    fixture.fake.faults().on(CREATE, new Fault.Refuse(status, type, body, -1));
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining(said);
  }

  @Test
  void anAnswerWithoutEndIsOneErrorAndLeavesNothing() throws Exception {
    String endless = "{\"id\":\"x\",\"name\":\"" + "x".repeat(17 << 20) + "\"}";
    fixture.fake.faults().on(CREATE, new Fault.AnswerAfter(200, "application/json", endless));
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure.context()).containsEntry("failure", "TOO_LARGE");
  }

  @Test
  void aFrameThatIsTooLongEndsTheCommandAndNoOther() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      String connect =
          "GET /toolbox/" + session.backend().data().get("sandbox") + "/process/pty/sandbox-";
      fixture.fake.faults().on(connect, new Fault.SpoilStream(12, new byte[5 << 20]));
      ExecResult result =
          DaytonaFixture.run(session, "for i in $(seq 90); do echo $i; sleep 0.05; done; sleep 60");
      assertThat(result.status()).isInstanceOf(ExitStatus.Lost.class);
      assertThat(DaytonaFixture.output(session, "echo on")).isEqualTo("on\n");
    }
  }

  @Test
  void anUnknownSnapshotIsSaid() throws Exception {
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of("snapshot", "none"));
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining("Snapshot none not found");
  }

  @Test
  void tooManyRequestsAreSentAgainWhenTheVendorSays() throws Exception {
    fixture.fake.faults().on(CREATE, Fault.tooMany(0), Fault.tooMany(1));
    try (SandboxSession session = fixture.open(Map.of())) {
      assertThat(DaytonaFixture.output(session, "echo a")).isEqualTo("a\n");
    }
    assertThat(fixture.fake.faults().unused()).isZero();
  }

  @Test
  void aCreationWhoseAnswerIsLostLeavesNothing() throws Exception {
    fixture.fake.faults().on(CREATE, new Fault.CutAfter());
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(fixture.fake.faults().count("DELETE /api/sandbox")).isPositive();
  }

  @Test
  void aSandboxThatFailsToStartSaysWhy() throws Exception {
    fixture
        .fake
        .faults()
        .on(
            "GET /api/sandbox/",
            new Fault.Refuse(
                200,
                "application/json",
                "{\"id\":\"x\",\"state\":\"error\",\"errorReason\":\"no runner is free\"}",
                -1));
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining("no runner is free");
  }

  @Test
  void aServiceThatSaysNothingIsLeftInTime() throws Exception {
    fixture.fake.faults().on(CREATE, new Fault.Stall());
    long begin = System.nanoTime();
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class,
            () ->
                fixture
                    .provider()
                    .create(
                        new BackendRequest("stalled", Map.of()),
                        Deadline.after(Duration.ofSeconds(2))));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_UNRESPONSIVE);
    assertThat(Duration.ofNanos(System.nanoTime() - begin)).isLessThan(Duration.ofSeconds(20));
    assertThat(DaytonaFixture.until(() -> fixture.fake.sandboxes() == 0)).isTrue();
  }

  @Test
  void aSandboxThatIsDestroyedUnderATerminalEndsIt() throws Exception {
    SandboxSession session = fixture.open(Map.of());
    PtyUpdate start = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(200)));
    fixture.sandbox(session).destroy();
    PtyUpdate end = session.ptys().poll(start.id());
    assertThat(end.endReason()).contains(PtyEndReason.LOST);
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_GONE);
    session.close();
  }

  @Test
  void aSandboxThatWasStoppedIsSaidToBe() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture.sandbox(session).stop();
      assertThat(DaytonaFixture.until(() -> fixture.sandbox(session).state().equals("stopped")))
          .isTrue();
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
      assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_NOT_RUNNING);
      assertThat(failure).hasMessageContaining("stopped");
    }
  }

  @ParameterizedTest
  @CsvSource({
    "keep, started",
    "stop, stopped",
    "archive, archived",
    "delete, ",
  })
  void aReleaseDoesWhatTheOptionSays(String policy, String state) throws Exception {
    DaytonaProvider provider = fixture.provider();
    var backend =
        provider.create(
            new BackendRequest("policy", Map.of("on-release", policy)), DaytonaFixture.seconds(30));
    backend.release(DaytonaFixture.seconds(20));
    var sandbox = fixture.fake.sandbox(backend.ref().data().get("sandbox"));
    if (state == null) {
      assertThat(sandbox).isEmpty();
    } else {
      assertThat(DaytonaFixture.until(() -> sandbox.orElseThrow().state().equals(state))).isTrue();
    }
  }

  @Test
  void aPauseThatTheVendorHasNotIsAnErrorAndNothingIsLost() throws Exception {
    var backend =
        fixture
            .provider()
            .create(
                new BackendRequest("pause", Map.of("on-release", "pause")),
                DaytonaFixture.seconds(30));
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> backend.release(DaytonaFixture.seconds(10)));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_RELEASE_FAILED);
    assertThat(failure).hasMessageContaining("not supported");
    assertThat(fixture.fake.sandboxes()).isEqualTo(1);
  }
}
