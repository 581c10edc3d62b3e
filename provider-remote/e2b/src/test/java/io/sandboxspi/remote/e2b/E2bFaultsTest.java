package io.sandboxspi.remote.e2b;

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
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.ErrorBody;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.RetryPolicy;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.OutputChannel;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One typed error for each thing that goes wrong, nothing left, no secret in the text. */
@Execution(ExecutionMode.CONCURRENT)
class E2bFaultsTest {
  private static final String START = "POST /process.Process/Start";
  private static final String CREATE = "POST /sandboxes";

  private final E2bFixture fixture = new E2bFixture();

  @AfterEach
  void stop() {
    fixture.close();
    assertThat(fixture.fake.faults().unused()).as("faults that nobody met").isZero();
  }

  private SandboxException refusesToOpen(E2bProvider provider, Map<String, String> options) {
    SandboxException failure =
        catchThrowableOfType(
            SandboxException.class, () -> E2bFixture.open(provider, options).close());
    assertThat(failure).isNotNull();
    assertThat(E2bFixture.words(failure))
        .doesNotContain(fixture.fake.settings().get("E2B_API_KEY"));
    assertThat(fixture.fake.sandboxes()).as("sandboxes left").isZero();
    return failure;
  }

  // Creating

  @Test
  void aWrongKeyIsSaid() {
    SandboxException failure =
        refusesToOpen(fixture.provider("E2B_API_KEY", "e2b_0badc0de"), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.context()).containsEntry("status", "401");
  }

  @Test
  void anAddressThatLeadsNowhereWasNotAskedForAnything() {
    SandboxException failure =
        refusesToOpen(fixture.provider("E2B_API_URL", "http://127.0.0.1:1"), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @Test
  void anUnknownTemplateIsSaid() {
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of("template", "nothing"));
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure).hasMessageContaining("nothing").hasMessageContaining("404");
    assertThat(failure.retryable()).isEqualTo(Retryable.NO);
  }

  @Test
  void aLimitOfRateIsWaitedForAndAQuotaIsSaid() throws Exception {
    fixture.fake.faults().on(CREATE, Fault.tooMany(0), Fault.tooMany(1));
    fixture.open(Map.of()).close();
    assertThat(fixture.fake.faults().count(CREATE)).isEqualTo(3);
    Fault quota =
        new Fault.Refuse(
            429,
            "application/json",
            "{\"code\":429,\"message\":\"you have reached the maximum number of concurrent E2B"
                + " sandboxes (20)\"}",
            -1);
    fixture.fake.faults().on(CREATE, quota, quota, quota);
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure).hasMessageContaining("maximum number");
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
  }

  @ParameterizedTest
  @ValueSource(strings = {"cut", "504", "page"})
  void aSandboxThatWasMadeWithoutAnAnswerIsFoundAndRemoved(String how) {
    // It exists, and its maker does not know it.
    fixture.fake.faults().on(CREATE, how.equals("cut") ? new Fault.CutAfter() : faulty(how));
    SandboxException failure = refusesToOpen(fixture.provider(), Map.of());
    assertThat(failure.code()).isEqualTo(ErrorCode.CREATE_FAILED);
    assertThat(failure.retryable()).isEqualTo(Retryable.UNKNOWN);
    assertThat(fixture.fake.faults().count(CREATE)).as("sent once").isEqualTo(1);
    assertThat(fixture.fake.faults().count("GET /v2/sandboxes")).isEqualTo(1);
  }

  private static Fault faulty(String how) {
    return how.equals("page") ? Fault.page(200) : Fault.error(504);
  }

  @Test
  void aSandboxWhoseDaemonDoesNotWorkIsRemoved() {
    fixture.fake.faults().on(START, Fault.error(500));
    assertThat(refusesToOpen(fixture.provider(), Map.of()).code())
        .isEqualTo(ErrorCode.CREATE_FAILED);
  }

  // Launching

  @ParameterizedTest
  @ValueSource(strings = {"cut before", "cut after", "500", "502", "page", "not json", "big frame"})
  void aLaunchThatFailsIsSentOnceAndLeavesNothing(String how) throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      int before = fixture.fake.faults().count(START);
      fixture
          .fake
          .faults()
          .on(
              START,
              switch (how) {
                case "cut before" -> new Fault.CutBefore();
                case "cut after" -> new Fault.CutStream(0);
                case "500" -> Fault.error(500);
                case "502" -> Fault.error(502);
                case "page" -> Fault.page(200);
                case "not json" -> new Fault.SpoilStream(0, new byte[] {0, 0, 0, 0, 1, 'x'});
                default ->
                    new Fault.SpoilStream(
                        0, ByteBuffer.allocate(5).put((byte) 0).putInt(100 << 20).array());
              });
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class,
              () -> session.exec(Command.shell("sleep 60 & echo ran >> ran; sleep 60")));
      assertThat(failure.code()).isIn(ErrorCode.TRANSPORT, ErrorCode.LAUNCH_FAILED);
      assertThat(failure.retryable()).isNotEqualTo(Retryable.YES);
      assertThat(E2bFixture.output(session, "cat ran 2>/dev/null | wc -l").strip()).isIn("0", "1");
      // The launch, the shell that ends it, and the one above.
      assertThat(fixture.fake.faults().count(START) - before).isLessThanOrEqualTo(4);
      assertThat(E2bFixture.until(() -> sleepers(session) == 0)).isTrue();
    }
  }

  /** Processes of the sandbox that sleep, by the machine's process table. */
  private long sleepers(SandboxSession session) {
    return Posix.with("E2B_SANDBOX_ID=" + fixture.sandbox(session).id()).stream()
        .map(ProcessHandle::of)
        .flatMap(Optional::stream)
        .filter(process -> process.info().command().orElse("").endsWith("sleep"))
        .count();
  }

  // Streams

  @Test
  void aCommandWhoseStreamIsCutIsLostAndHasNoCode() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture.fake.faults().on(START, new Fault.CutStream(2));
      ExecResult result = session.exec(Command.shell("echo a; sleep 0.3; echo b; sleep 30"));
      assertThat(result.status()).isInstanceOf(ExitStatus.Lost.class);
    }
  }

  @Test
  void aCommandWhoseLastFramesAreLostHasItsCodeFromTheLauncher() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      // Start, announcement with output and code, and nothing behind it.
      fixture.fake.faults().on(START, new Fault.CutStream(2));
      ExecResult result = session.exec(Command.shell("exit 7"));
      assertThat(result.status())
          .satisfiesAnyOf(
              status -> assertThat(status).isEqualTo(new ExitStatus.Exited(7)),
              status -> assertThat(status).isInstanceOf(ExitStatus.Lost.class));
    }
  }

  @Test
  void aStreamThatIsSilentIsLostInBoundedTime() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("stream-keep-alive", "1"))) {
      fixture.fake.faults().on(START, new Fault.SilentStream(2));
      ExecResult result = session.exec(Command.shell("echo a; sleep 15"));
      assertThat(result.status()).isInstanceOf(ExitStatus.Lost.class);
    }
  }

  @Test
  void aStreamThatIsKeptAliveMayBeIdle() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("stream-keep-alive", "1"))) {
      assertThat(E2bFixture.output(session, "sleep 4; echo done")).isEqualTo("done\n");
    }
  }

  @Test
  void messagesThatComeTwiceEndOnce() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture.fake.faults().on(START, new Fault.DuplicateStream());
      ExecResult result = session.exec(Command.shell("exit 4"));
      assertThat(result.status()).isEqualTo(new ExitStatus.Exited(4));
    }
  }

  @Test
  void aTerminalWhoseStreamIsCutGoesOnWithAMark() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture.fake.faults().on(START, new Fault.CutStream(4));
      PtyUpdate update =
          session.ptys().start(PtyRequest.of("sh").collectFor(Duration.ofMillis(500)));
      StringBuilder seen = new StringBuilder(update.output());
      for (int i = 0; i < 8; i++) {
        update = session.ptys().write(update.id(), "echo n$((40+" + i + "))\n");
        seen.append(update.output());
      }
      assertThat(
              E2bFixture.until(
                  () -> {
                    seen.append(session.ptys().write(lastId(session), "echo back\n").output());
                    return seen.toString().contains("back\r\n");
                  }))
          .isTrue();
      assertThat(seen.toString()).contains("output may be missing");
    }
  }

  private static int lastId(SandboxSession session) {
    return session.ptys().list().get(0).id();
  }

  @Test
  void aTerminalThatCannotBeOpenedAgainIsLost() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture.fake.faults().on(START, new Fault.CutStream(3));
      fixture.fake.faults().on("POST /process.Process/Connect", Fault.error(404));
      PtyUpdate update =
          session
              .ptys()
              .start(PtyRequest.shell("echo a; sleep 0.5; echo b; sleep 0.5; echo c; sleep 60"));
      if (update.running()) {
        update = session.ptys().poll(update.id());
      }
      assertThat(update.endReason()).contains(PtyEndReason.LOST);
    }
  }

  @Test
  void inputThatMeetsTheEndIsNoError() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      fixture
          .fake
          .faults()
          .on(
              "POST /process.Process/SendInput",
              new Fault.Refuse(
                  404,
                  "application/json",
                  "{\"code\":\"not_found\",\"message\":\"process not found\"}",
                  -1));
      PtyUpdate update =
          session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(300)));
      PtyUpdate after = session.ptys().write(update.id(), "x\n", YieldOptions.forWrite());
      assertThat(after.output()).doesNotContain("x");
    }
  }

  // The sandbox

  @Test
  void aSandboxThatExpiresUnderATerminalEndsItAndIsGone() throws Exception {
    SandboxSession session = fixture.open(Map.of());
    PtyUpdate update =
        session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(300)));
    fixture.sandbox(session).timedOut();
    PtyUpdate end = session.ptys().poll(update.id());
    assertThat(end.endReason()).contains(PtyEndReason.LOST);
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
    assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_GONE);
    session.close();
  }

  @Test
  void aPausedSandboxIsSaidToBePausedUnlessItIsToWake() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      assertThat(fixture.sandbox(session).pause()).isTrue();
      SandboxException failure =
          catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
      assertThat(failure.code()).isEqualTo(ErrorCode.BACKEND_NOT_RUNNING);
      assertThat(failure).hasMessageContaining("paused");
    }
    assertThat(fixture.fake.sandboxes()).isZero();
    try (SandboxSession session = fixture.open(Map.of("on-timeout", "pause"))) {
      session.files().write("kept", "it".getBytes(UTF_8));
      fixture.sandbox(session).timedOut();
      assertThat(fixture.sandbox(session).paused()).isTrue();
      // Its token has changed.
      assertThat(E2bFixture.output(session, "cat kept")).isEqualTo("it");
      // Waking it has not changed what becomes of it at its end; the command's cleanup may wake it.
      fixture.sandbox(session).timedOut();
      assertThat(fixture.fake.sandboxes()).isEqualTo(1);
      assertThat(new String(session.files().read("kept"), UTF_8)).isEqualTo("it");
    }
  }

  @Test
  void aTerminalLivesThroughAPauseAndItsTreeCanBeEnded() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("on-timeout", "pause"))) {
      PtyUpdate update =
          session
              .ptys()
              .start(PtyRequest.shell("sleep 300 & cat").collectFor(Duration.ofMillis(500)));
      fixture.sandbox(session).timedOut();
      // Traffic of the session wakes it.
      assertThat(E2bFixture.output(session, "echo awake")).isEqualTo("awake\n");
      StringBuilder seen = new StringBuilder();
      assertThat(
              E2bFixture.until(
                  () -> {
                    seen.append(
                        session
                            .ptys()
                            .write(update.id(), "hi\n", YieldOptions.forWrite())
                            .output());
                    return seen.toString().contains("hi");
                  }))
          .isTrue();
      Object unused = session.ptys().terminate(update.id());
      assertThat(E2bFixture.until(() -> sleepers(session) == 0)).isTrue();
    }
  }

  @Test
  void aCommandHasNoLimitOfTheVendors() throws Exception {
    // The vendor's clients end commands after a minute, by a header that this one never sends.
    try (SandboxSession session = fixture.open(Map.of())) {
      try (RunningCommand running =
          session.start(Command.shell("sleep 3; echo late").openTimeout(Duration.ofSeconds(1)))) {
        assertThat(running.await(Duration.ofSeconds(20)).orElseThrow().stdout().text())
            .isEqualTo("late\n");
      }
      assertThat(fixture.fake.headers("Connect-Timeout-Ms")).isZero();
      // A plain server may not know what to do with an offer of HTTP/2.
      assertThat(fixture.fake.headers("Upgrade")).isZero();
    }
  }

  @Test
  void theVendorsKillHitsTheLeaderOnly() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      HttpTransport transport =
          HttpTransport.of(ClientOptions.defaults("test"), RetryPolicy.NONE, ErrorBody::common);
      Map<String, String> settings = fixture.fake.settings();
      ControlPlane plane =
          new ControlPlane(transport, E2bSettings.read(name -> settings.getOrDefault(name, "")));
      String id = fixture.sandbox(session).id();
      Deadline deadline = Deadline.after(Duration.ofSeconds(20));
      Access access = plane.connect(id, Duration.ofMinutes(5), deadline);
      Envd envd =
          new Envd(
              transport,
              access,
              Optional.empty(),
              Duration.ofSeconds(20),
              (refusal, limit) -> {
                throw refusal;
              });
      CompletableFuture<Output.End> end = new CompletableFuture<>();
      Running running =
          new E2bMachine(envd, plane, id, Runnable::run)
              .start(
                  new Machine.Start(
                      List.of("/bin/sh", "-c", "sleep 303 & wait"),
                      Map.of(),
                      Optional.empty(),
                      false),
                  new Output() {
                    @Override
                    public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
                      return true;
                    }

                    @Override
                    public void onEnd(End how) {
                      end.complete(how);
                    }
                  },
                  deadline);
      assertThat(E2bFixture.until(() -> sleepers(session) == 1)).isTrue();
      running.end(deadline);
      assertThat(end.get(10, TimeUnit.SECONDS).status()).contains(new ExitStatus.Signalled(9));
      assertThat(sleepers(session)).isEqualTo(1);
    }
  }

  @Test
  void aSandboxIsFoundByItsMetadataWhateverThatHolds() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("metadata", "a b&c%=d=é +%41,other=1"))) {
      HttpTransport transport =
          HttpTransport.of(ClientOptions.defaults("test"), RetryPolicy.NONE, ErrorBody::common);
      Map<String, String> settings = fixture.fake.settings();
      ControlPlane plane =
          new ControlPlane(transport, E2bSettings.read(name -> settings.getOrDefault(name, "")));
      Deadline deadline = Deadline.after(Duration.ofSeconds(20));
      assertThat(plane.find("a b&c%", "d=é +%41", deadline))
          .extracting(ControlPlane.Listed::sandbox)
          .containsExactly(fixture.sandbox(session).id());
      assertThat(plane.find("a b&c%", "d", deadline)).isEmpty();
    }
  }

  @Test
  void whatTheVendorsKillLeavesIsEnded() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      RunningCommand running =
          session.start(Command.shell("(setsid sleep 300 &) ; sleep 301 & sleep 302 & wait"));
      assertThat(E2bFixture.until(() -> sleepers(session) == 3)).isTrue();
      fixture.fake.killLeaders(fixture.sandbox(session).id());
      assertThat(E2bFixture.until(() -> running.result().isDone())).isTrue();
      running.close();
      assertThat(E2bFixture.until(() -> sleepers(session) == 0)).isTrue();
    }
  }

  @Test
  void anOpenSessionRenewsItsTime() throws Exception {
    try (SandboxSession session = fixture.open(Map.of("timeout", "15"))) {
      var first = fixture.sandbox(session).endAt();
      assertThat(
              E2bFixture.until(
                  () -> fixture.sandbox(session).endAt().isAfter(first.plusSeconds(3))))
          .isTrue();
    }
    try (SandboxSession session = fixture.open(Map.of("timeout", "15", "keep-alive", "false"))) {
      assertThat(E2bFixture.output(session, "echo x")).isEqualTo("x\n");
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"keep", "pause", "kill"})
  void aReleaseDoesWhatItIsToldTo(String what) throws Exception {
    SandboxSession session = fixture.open(Map.of("on-release", what));
    String id = fixture.sandbox(session).id();
    session.shutdown();
    assertThat(fixture.fake.sandbox(id).isPresent()).isEqualTo(!what.equals("kill"));
    fixture.fake.sandbox(id).ifPresent(s -> assertThat(s.paused()).isEqualTo(what.equals("pause")));
  }

  @Test
  void aBatchIsEndedByOneQuestion() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      for (int i = 0; i < 12; i++) {
        Object unused =
            session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
      }
      int before = fixture.fake.faults().count("POST /process.Process/SendInput");
      session.ptys().terminateAll();
      assertThat(fixture.fake.faults().count("POST /process.Process/SendInput") - before)
          .isLessThanOrEqualTo(3);
    }
  }
}
