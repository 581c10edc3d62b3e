package io.sandboxspi.remote.blaxel;

import static java.nio.charset.StandardCharsets.UTF_8;
import static java.util.stream.Collectors.joining;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Command;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Stdin;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.blaxel.BlaxelFake;
import io.sandboxspi.remote.transport.RemoteException;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What users of Blaxel have met, and what becomes of it here. One sandbox serves most of them. */
class BlaxelPitfallsTest {
  private static final BlaxelFixture FIXTURE = new BlaxelFixture();

  private static SandboxSession session;

  @BeforeAll
  static void open() throws Exception {
    session = FIXTURE.openPatient(Map.of("ports", "3000"));
  }

  @AfterAll
  static void close() {
    session.close();
    FIXTURE.close();
  }

  private static void onNextTerminal(Fault fault) {
    String name = session.backend().data().get("sandbox");
    FIXTURE.fake.faults().on("GET /sbx/" + name + "/terminal/ws", fault);
  }

  private static SandboxApi api() {
    Settings settings = Settings.of(name -> FIXTURE.fake.settings().getOrDefault(name, ""));
    String name = session.backend().data().get("sandbox");
    return Connection.of(settings, Map.of()).agent(name, FIXTURE.fake.uri() + "/sbx/" + name);
  }

  /** What a command prints while something happens. */
  private static String printed(Command command, Runnable event) throws Exception {
    try (RunningCommand running = session.start(command.stdin(Stdin.pipe()).streaming())) {
      assertThat(running.stdout().readNBytes(3)).isEqualTo("up\n".getBytes(UTF_8));
      running.stdin().write("go\n".getBytes(UTF_8));
      running.stdin().flush();
      event.run();
      String rest = new String(running.stdout().readAllBytes(), UTF_8);
      assertThat(running.await().status()).isEqualTo(new ExitStatus.Exited(0));
      return rest;
    }
  }

  private static Command counting() {
    return Command.shell("echo up; read x; seq 1 100000").timeout(Duration.ofSeconds(60));
  }

  private static String numbers(String end) {
    return IntStream.rangeClosed(1, 100_000).mapToObj(i -> i + end).collect(joining());
  }

  @Test
  void aSandboxThatWakesIsAskedAgain() throws Exception {
    FIXTURE.sandbox(session).unavailable(2);
    assertThat(BlaxelFixture.output(session, "echo up")).isEqualTo("up\n");
  }

  @Test
  void whatTheEdgeGaveUpIsFoundByItsName() throws Exception {
    int unused = FIXTURE.fake.faults().unused();
    FIXTURE
        .fake
        .faults()
        .on("GET /v0/sandboxes/", new Fault.Refuse(404, "application/json", "{}", -1));
    FIXTURE
        .fake
        .faults()
        .on(
            "POST /v0/sandboxes",
            new Fault.AnswerAfter(504, "text/html", "<html>504 Gateway Timeout</html>"));
    try (SandboxSession other = FIXTURE.open(Map.of())) {
      assertThat(BlaxelFixture.output(other, "echo a")).isEqualTo("a\n");
    }
    assertThat(FIXTURE.fake.faults().unused()).isEqualTo(unused);
  }

  @Test
  void standbyFreezesAndAUseWakesWhatRan() throws Exception {
    try (SandboxSession other = FIXTURE.open(Map.of())) {
      PtyUpdate start =
          other
              .ptys()
              .start(
                  PtyRequest.shell("echo up; read x; echo got $x; exit 4")
                      .collectFor(Duration.ofMillis(500)));
      FIXTURE.sandbox(other).standby();
      assertThat(BlaxelFixture.output(other, "echo a")).isEqualTo("a\n");
      PtyUpdate end = other.ptys().write(start.id(), "it\n");
      if (end.running()) {
        end = other.ptys().poll(start.id());
      }
      assertThat(end.exitCode()).as("%s", end).hasValue(4);
    }
  }

  @Test
  void aTerminalThatIsCutGoesOnWithoutLossOrRepetition() throws Exception {
    Command command =
        Command.shell("i=0; while [ $((i += 1)) -le 300 ]; do echo $i; sleep 0.005; done")
            .terminal(TerminalSize.DEFAULT)
            .timeout(Duration.ofSeconds(60));
    String all = IntStream.rangeClosed(1, 300).mapToObj(i -> i + "\r\n").collect(joining());
    try (RunningCommand running = session.start(command.streaming())) {
      String begin = new String(running.stdout().readNBytes(100), UTF_8);
      FIXTURE.sandbox(session).cutTerminals();
      assertThat(begin + new String(running.stdout().readAllBytes(), UTF_8)).isEqualTo(all);
      assertThat(running.await().status()).isEqualTo(new ExitStatus.Exited(0));
    }
  }

  @Test
  void aCutBeforeTheProgramRunsIsAFailureAtOnce() {
    onNextTerminal(new Fault.CutStream(1));
    SandboxException failure =
        catchThrowableOfType(SandboxException.class, () -> session.exec(Command.of("true")));
    assertThat(failure.code()).isEqualTo(ErrorCode.TRANSPORT);
  }

  @Test
  void pipesThatAreCutLoseNothing() throws Exception {
    assertThat(printed(counting(), () -> FIXTURE.sandbox(session).cutTerminals()))
        .isEqualTo(numbers("\n"));
  }

  @Test
  void inputIsWholeAfterACut() throws Exception {
    byte[] input = numbers("\n").getBytes(UTF_8);
    Command cat = Command.of("cat").timeout(Duration.ofSeconds(60));
    try (RunningCommand running = session.start(cat.stdin(Stdin.pipe()))) {
      running.stdin().write(input, 0, input.length / 2);
      FIXTURE.sandbox(session).cutTerminals();
      running.stdin().write(input, input.length / 2, input.length - input.length / 2);
      running.stdin().close();
      assertThat(running.await().stdout().text()).isEqualTo(numbers("\n"));
    }
  }

  @Test
  void whatTheVendorDropsOfPipesIsAskedForAgain() throws Exception {
    assertThat(printed(counting(), () -> FIXTURE.sandbox(session).dropOutput()))
        .isEqualTo(numbers("\n"));
  }

  @ParameterizedTest
  @ValueSource(strings = {"{\"type\":\"output\",\"da", "<html>sign in</html>", "[1]", "HUGE"})
  void aMessageThatIsNoneIsPassedOverAndOneThatIsTooLongIsAskedForAgain(String message)
      throws Exception {
    // A message may have 4 MiB.
    String said = message.equals("HUGE") ? "x".repeat((4 << 20) + 1) : message;
    assertThat(printed(counting(), () -> FIXTURE.sandbox(session).say(said)))
        .isEqualTo(numbers("\n"));
  }

  @Test
  void whatComesTwiceIsTakenOnce() throws Exception {
    onNextTerminal(new Fault.DuplicateStream());
    assertThat(BlaxelFixture.output(session, "seq 1 100000")).isEqualTo(numbers("\n"));
  }

  @Test
  void bytesThatAreNoTextComeUnchangedAndInTheirStream() throws Exception {
    ExecResult result =
        BlaxelFixture.run(
            session, "printf 'a\\377\\000\\035\\036\\342\\202'; printf '\\376\\035O 1 c' >&2");
    assertThat(result.stdout().bytes())
        .isEqualTo(new byte[] {'a', (byte) 255, 0, 29, 30, (byte) 0xe2, (byte) 0x82});
    assertThat(result.stderr().bytes())
        .isEqualTo(new byte[] {(byte) 254, 29, 'O', ' ', '1', ' ', 'c'});
  }

  @Test
  void aTerminalTakesTextOnlyAndSaysSo() throws Exception {
    PtyUpdate start =
        session
            .ptys()
            .start(PtyRequest.shell("stty -echo; echo up; cat").collectFor(Duration.ofMillis(500)));
    PtyUpdate answer = session.ptys().write(start.id(), "\u20ac\n");
    assertThat(answer.output()).contains("\u20ac");
    Object unused = session.ptys().terminate(start.id());
    Terminal none =
        new Terminal(api(), "none", TerminalSize.DEFAULT, Lane.light("test"), new Deaf());
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class,
            () ->
                new TerminalInput(none)
                    .write(
                        ByteBuffer.wrap(new byte[] {(byte) 0xff, '\n'}), BlaxelFixture.seconds(1)));
    assertThat(failure).hasMessageContaining("UTF-8");
  }

  private static final class Deaf implements Terminal.Listener {
    @Override
    public void output(String text) {}

    @Override
    public void replay(String text) {}

    @Override
    public void lost(RemoteException failure) {}
  }

  @Test
  void aShellThatEndsWithoutAWordIsMissed() throws Exception {
    PtyUpdate start =
        session
            .ptys()
            .start(
                PtyRequest.shell("echo $PPID; exec sleep 60").collectFor(Duration.ofMillis(500)));
    long leader = Long.parseLong(start.output().strip());
    assertThat(Posix.signal(leader, Posix.KILL)).isTrue();
    AtomicReference<PtyUpdate> last = new AtomicReference<>(start);
    assertThat(
            BlaxelFixture.until(
                () -> {
                  last.set(session.ptys().poll(start.id()));
                  return !last.get().running();
                }))
        .isTrue();
    assertThat(last.get().endReason()).isNotEqualTo(Optional.of(PtyEndReason.EXITED));
  }

  @Test
  void aCommandThatTheAgentLetsRunOnIsKilled() {
    SandboxApi api = api();
    int before = FIXTURE.sandbox(session).processes();
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class,
            () -> api.run("a command", "sleep 60", BlaxelFixture.seconds(1)));
    assertThat(failure.kind()).isEqualTo(RemoteException.Kind.TIMEOUT);
    assertThat(FIXTURE.fake.faults().count("DELETE /sbx/")).isPositive();
    assertThat(FIXTURE.sandbox(session).lastTimeout()).as("in seconds").isEqualTo(1);
    assertThat(gone(before)).isTrue();
  }

  @Test
  void aCommandWhoseAnswerBreaksOffIsFoundByItsNameAndNeverSentAgain() throws Exception {
    String request = "POST /sbx/" + session.backend().data().get("sandbox") + "/process";
    int before = FIXTURE.fake.faults().count(request);
    FIXTURE
        .fake
        .faults()
        .on(
            request,
            new Fault.CutAfter(),
            new Fault.CutStream(1),
            new Fault.AnswerAfter(504, "", ""));
    for (int i = 0; i < 3; i++) {
      String file = FIXTURE.sandbox(session).home() + "/once" + i;
      String command = "echo ran >>" + file + "; sleep 0.3; cat " + file;
      assertThat(api().run("a command", command, BlaxelFixture.seconds(20))).isEqualTo("ran\n");
    }
    assertThat(FIXTURE.fake.faults().count(request) - before).isEqualTo(3);
    FIXTURE.fake.faults().on(request, new Fault.CutBefore());
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class, () -> api().run("x", "true", BlaxelFixture.seconds(20)));
    assertThat(failure.kind()).as("it was never started").isEqualTo(RemoteException.Kind.BROKEN);
  }

  @Test
  void anAgentThatIsTooOldToStreamIsUnderstood() throws Exception {
    String request = "POST /sbx/" + session.backend().data().get("sandbox") + "/process";
    String late = "{\"error\":\"process timed out after 1 seconds\"}";
    String answer = "{\"status\":\"completed\",\"exitCode\":0,\"stdout\":\"old\\n\"}";
    FIXTURE
        .fake
        .faults()
        .on(
            request,
            new Fault.Refuse(200, "application/json", answer, -1),
            new Fault.Refuse(422, "application/json", late, -1));
    assertThat(api().run("x", "true", BlaxelFixture.seconds(10))).isEqualTo("old\n");
    int killed = FIXTURE.fake.faults().count("DELETE /sbx/");
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class, () -> api().run("x", "true", BlaxelFixture.seconds(10)));
    assertThat(failure.kind()).isEqualTo(RemoteException.Kind.TIMEOUT);
    assertThat(FIXTURE.fake.faults().count("DELETE /sbx/")).isGreaterThan(killed);
  }

  private static boolean gone(int before) {
    try {
      return BlaxelFixture.until(() -> FIXTURE.sandbox(session).processes() <= before);
    } catch (Exception e) {
      throw new AssertionError(e);
    }
  }

  @Test
  void pathsHoldAnything() throws Exception {
    SandboxFileCalls files = new SandboxFileCalls(api());
    String path = FIXTURE.sandbox(session).home() + "/a b#c?d%e+f \u20ac";
    byte[] content = {0, 1, (byte) 0xff};
    files.write(path, new ByteArrayInputStream(content), BlaxelFixture.seconds(10));
    try (InputStream in = files.read(path, BlaxelFixture.seconds(10))) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
  }

  @Test
  void aLargeFileTravelsInPartsAndAFailureLeavesNone() throws Exception {
    SandboxFileCalls files = new SandboxFileCalls(api());
    String path = FIXTURE.sandbox(session).home() + "/large";
    byte[] content = new byte[2 * SandboxFileCalls.PART + 3];
    content[SandboxFileCalls.PART] = 7;
    files.write(path, new ByteArrayInputStream(content), BlaxelFixture.seconds(30));
    try (InputStream in = files.read(path, BlaxelFixture.seconds(30))) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    String name = session.backend().data().get("sandbox");
    // An answer before the part was read may look like a broken connection, which is tried again.
    Fault error = Fault.error(500);
    FIXTURE
        .fake
        .faults()
        .on("PUT /sbx/" + name + "/filesystem-multipart", error, error, error, error);
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class,
            () -> files.write(path, new ByteArrayInputStream(content), BlaxelFixture.seconds(30)));
    assertThat(failure).isNotNull();
    assertThat(FIXTURE.sandbox(session).uploads()).isZero();
  }

  @Test
  void aPrivatePreviewIsReachedWithItsToken() throws Exception {
    Endpoint endpoint = session.endpoint(3000);
    assertThat(endpoint.uri("http", "/x").toString())
        .matches("https://port-3000-.*bl\\.run/x\\?bl_preview_token=.+");
    assertThat(endpoint.toString()).doesNotContain("bl_preview_token");
  }

  @Test
  void aGatewayThatReadsNoHeadersOfSocketsGetsTheTokenInTheQuery() throws Exception {
    try (BlaxelFixture other = new BlaxelFixture()) {
      other.fake.tokensInQueries();
      try (SandboxSession open = other.open(Map.of())) {
        assertThat(BlaxelFixture.output(open, "echo a")).isEqualTo("a\n");
      }
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class,
              () -> {
                try (SandboxSession open = other.open(Map.of())) {
                  String name = open.backend().data().get("sandbox");
                  other
                      .fake
                      .faults()
                      .on("GET /sbx/" + name + "/terminal/ws", Fault.error(401), Fault.error(500));
                  Object unused = open.exec(Command.of("true"));
                }
              });
      assertThat(BlaxelFixture.words(failure)).doesNotContain(BlaxelFake.KEY);
    }
  }

  @Test
  void aClientsTokenIsFetchedOnceAndAgainWhenItIsRefused() throws Exception {
    try (BlaxelFixture other = new BlaxelFixture()) {
      Map<String, String> settings = new HashMap<>(other.fake.settings());
      settings.remove("BL_API_KEY");
      settings.put("BL_CLIENT_CREDENTIALS", BlaxelFake.CLIENT);
      try (SandboxSession open = BlaxelFixture.open(BlaxelProvider.with(settings), Map.of())) {
        assertThat(BlaxelFixture.output(open, "echo a")).isEqualTo("a\n");
      }
      assertThat(other.fake.tokens()).isLessThanOrEqualTo(2);
      int before = other.fake.tokens();
      try (SandboxSession open = BlaxelFixture.open(BlaxelProvider.with(settings), Map.of())) {
        // Sooner than was said, or a clock that stood still.
        other.fake.expireTokens();
        assertThat(BlaxelFixture.output(open, "echo on")).isEqualTo("on\n");
      }
      // Its first, the one after that, and that of the deletion.
      assertThat(other.fake.tokens()).isEqualTo(before + 3);
      settings.put("BL_CLIENT_CREDENTIALS", "wrong");
      SandboxException failure =
          catchThrowableOfType(
              SandboxException.class,
              () -> BlaxelFixture.open(BlaxelProvider.with(settings), Map.of()).close());
      assertThat(failure.code()).isEqualTo(ErrorCode.PROVIDER_UNAVAILABLE);
    }
  }

  @Test
  void endedProcessesLeaveNoTerminal() throws Exception {
    try (SandboxSession other = FIXTURE.openPatient(Map.of())) {
      for (int i = 1; i <= 3; i++) {
        assertThat(BlaxelFixture.run(other, "exit " + i).status())
            .isEqualTo(new ExitStatus.Exited(i));
      }
      PtyUpdate pty =
          other
              .ptys()
              .start(PtyRequest.shell("echo up; exec sleep 60").collectFor(Duration.ofMillis(500)));
      Object unused = other.ptys().terminate(pty.id());
      assertThat(BlaxelFixture.until(() -> FIXTURE.sandbox(other).terminals() <= 1))
          .as("the kept shell's only")
          .isTrue();
    }
  }
}
