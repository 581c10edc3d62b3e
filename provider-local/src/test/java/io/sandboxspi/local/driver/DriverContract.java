package io.sandboxspi.local.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.local.driver.Recorder.Exit;
import io.sandboxspi.local.driver.SpawnException.Kind;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What every driver does with one process. */
abstract class DriverContract extends DriverFixture {
  private static final int SEQ_BYTES = 128_894;

  /** All but those that the C library keeps for itself. */
  private static final long NUMBERED_SIGNALS = 0x7fffffff;

  private String run(boolean terminal, String... argv) throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process = terminal ? tty(recorder, argv) : pipes(recorder, argv);
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
    process.release();
    return recorder.text();
  }

  @Test
  void theTerminalHasItsSizeBeforeTheProgramRuns() throws Exception {
    assertThat(run(true, "stty", "size")).isEqualTo("24 80\r\n");
    Recorder recorder = new Recorder();
    start(recorder, Optional.of(new WindowSize(100, 30)), false, "stty", "size");
    recorder.awaitEnd();
    assertThat(recorder.text()).isEqualTo("30 100\r\n");
  }

  @Test
  void theTerminalControlsASessionOfItsOwn() throws Exception {
    String text = run(true, "sh", "-c", "tty && : </dev/tty && ps -o pid=,pgid=,sid=,tpgid= $$");
    assertThat(text).startsWith("/dev/");
    String[] ids = text.split("\r\n")[1].trim().split("\\s+");
    assertThat(ids).containsOnly(ids[0]);
  }

  @Test
  void pipesHaveASessionOfTheirOwnAndNoTerminal() throws Exception {
    String text = run(false, "sh", "-c", "ps -o pid=,pgid=,sid= $$; (: </dev/tty) || echo none");
    String[] lines = text.split("\n");
    assertThat(lines[0].trim().split("\\s+")).containsOnly(lines[0].trim().split("\\s+")[0]);
    assertThat(lines[1]).isEqualTo("none");
  }

  @Test
  void inputIsAtItsEndUnlessItIsOpen() throws Exception {
    assertThat(run(false, "sh", "-c", "cat; read x; echo rc=$?; readlink /proc/self/fd/0"))
        .isEqualTo("rc=1\n/dev/null\n");
  }

  @Test
  void standardOutputAndErrorArriveApart() throws Exception {
    Recorder recorder = new Recorder();
    pipes(recorder, "sh", "-c", "echo out; echo err >&2; exit 5");
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(5, 0));
    assertThat(recorder.text()).isEqualTo("out\n");
    assertThat(recorder.errorText()).isEqualTo("err\n");
  }

  @Test
  void fastProgramsLoseNothingOnATerminal() throws Exception {
    for (int i = 0; i < 100; i++) {
      String text = run(true, "seq", "1", "20000");
      assertThat(text).hasSize(SEQ_BYTES).endsWith("20000\r\n");
    }
  }

  @Test
  void fastProgramsLoseNothingOnPipes() throws Exception {
    for (int i = 0; i < 100; i++) {
      assertThat(run(false, "seq", "1", "20000")).hasSize(SEQ_BYTES - 20_000).endsWith("20000\n");
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void whatAProgramPrintsAtItsEndArrives(boolean terminal) throws Exception {
    for (int i = 0; i < 300; i++) {
      assertThat(run(terminal, "echo", "marker-" + i).strip()).isEqualTo("marker-" + i);
    }
  }

  @Test
  void bytesPassThroughPipesUnchanged() throws Exception {
    byte[] data = new byte[1 << 20];
    new Random(7).nextBytes(data);
    Recorder recorder = new Recorder();
    DriverProcess process = piped(recorder, "cat");
    process.write(ByteBuffer.wrap(data), in(20));
    process.closeInput(in(5));
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
    assertThat(recorder.bytes()).isEqualTo(data);
    assertThatThrownBy(() -> process.write(bytes("x"), in(5)))
        .isInstanceOf(ClosedInputException.class);
  }

  @Test
  void endOfInputIsSentWithoutAnyInput() throws Exception {
    for (int i = 0; i < 100; i++) {
      Recorder recorder = new Recorder();
      DriverProcess process = piped(recorder, "cat");
      process.closeInput(in(5));
      assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
      process.release();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"abc\n", "abc"})
  void endOfInputOnATerminalEndsAReader(String input) throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process = tty(recorder, "sh", "-c", "cat; echo end");
    process.write(bytes(input), in(5));
    recorder.awaitText("abc");
    process.closeInput(in(5));
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
    assertThat(recorder.text()).endsWith("end\r\n");
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void deathBySignalIsNoCode(boolean terminal) throws Exception {
    for (int signal : new int[] {9, 15}) {
      Recorder recorder = new Recorder();
      start(
          recorder,
          terminal ? Optional.of(new WindowSize(80, 24)) : Optional.empty(),
          false,
          "sh",
          "-c",
          "kill -" + signal + " $$");
      assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, signal));
    }
    Recorder recorder = new Recorder();
    pipes(recorder, "sh", "-c", "sh -c 'kill -9 $$'; exit $?");
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(137, 0));
  }

  @Test
  void aDescendantThatHoldsTheTerminalDoesNotDelayTheExit() throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process =
        tty(recorder, "sh", "-c", "(trap '' HUP; echo armed; exec sleep 30) & sleep 0.2; exit 7");
    assertThat(recorder.awaitExit()).isEqualTo(new Exit(7, 0));
    recorder.awaitText("armed");
    assertThat(process.signalGroup(9)).isTrue();
  }

  @Test
  void aDescendantThatHoldsAPipeDoesNotDelayTheExit() throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process = pipes(recorder, "sh", "-c", "sleep 30 & echo x; exit 7");
    assertThat(recorder.awaitExit()).isEqualTo(new Exit(7, 0));
    recorder.awaitText("x");
    assertThat(recorder.isClosed()).isFalse();
    assertThat(process.signalGroup(9)).isTrue();
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(7, 0));
  }

  @Test
  void aTerminalThatIsClosedAndOpenedAgainIsNotAtItsEnd() throws Exception {
    Recorder recorder = new Recorder();
    tty(
        recorder,
        "sh",
        "-c",
        "t=$(tty); exec </dev/null >/dev/null 2>&1; sleep 0.3; exec >$t; echo again; sleep 0.1");
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
    assertThat(recorder.text()).isEqualTo("again\r\n");
  }

  @Test
  void controlCInterrupts() throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process = tty(recorder, "sh", "-c", "echo ready; exec sleep 60");
    recorder.awaitText("ready");
    process.write(bytes("\003"), in(5));
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 2));
  }

  @Test
  void signalsAreNeitherBlockedNorIgnored() throws Exception {
    for (boolean terminal : new boolean[] {true, false}) {
      String status = run(terminal, "grep", "-E", "Sig(Blk|Ign)", "/proc/self/status");
      assertThat(status.lines().map(line -> line.split("\\s+")[1]))
          .hasSize(2)
          .allMatch(mask -> (Long.parseUnsignedLong(mask, 16) & NUMBERED_SIGNALS) == 0);
    }
    Recorder recorder = new Recorder();
    DriverProcess process = tty(recorder, "sh", "-c", "echo ready; exec sleep 60");
    recorder.awaitText("ready");
    process.write(bytes("\034"), in(5));
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 3));
  }

  @Test
  void dispositionsAreDefaultsEvenIfTheHostIgnoresSignals() throws Exception {
    String java = Path.of(System.getProperty("java.home"), "bin", "java").toString();
    String script = "trap '' INT QUIT PIPE; exec \"$0\" \"$@\"";
    List<String> command =
        List.of(
            "sh",
            "-c",
            script,
            java,
            "-cp",
            System.getProperty("java.class.path"),
            IgnoringHost.class.getName(),
            driver.name());
    Process host = new ProcessBuilder(command).redirectErrorStream(true).start();
    String output = new String(host.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
    assertThat(host.waitFor()).isZero();
    assertThat(output.lines().filter(line -> line.startsWith("RESULT")))
        .containsExactly("RESULT 0 Exit[code=0, signal=2]");
  }

  @Test
  void signalsReachTheWholeGroupAlsoWithoutLeader() throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process = pipes(recorder, "sh", "-c", "sleep 61 & echo $!; exit 0");
    recorder.awaitExit();
    recorder.awaitText("\n");
    assertThat(process.exited()).isTrue();
    assertThat(process.pinned()).isTrue();
    assertThat(process.signalGroup(15)).isTrue();
    recorder.awaitEnd();
  }

  @Test
  void sizesChangeWhileItRunsAndNeverFailAfterwards() throws Exception {
    Recorder recorder = new Recorder();
    String script = "trap 'stty size; exit 0' WINCH; echo ready; while :; do sleep 0.05; done";
    DriverProcess process = tty(recorder, "sh", "-c", script);
    recorder.awaitText("ready");
    process.resize(new WindowSize(132, 50));
    recorder.awaitText("50 132");
    recorder.awaitEnd();
    process.resize(new WindowSize(10, 10));
    process.release();
    process.resize(new WindowSize(10, 10));
    process.signalGroup(9);
    assertThatThrownBy(() -> new WindowSize(0, 5)).isInstanceOf(IllegalArgumentException.class);
  }

  @Test
  void argumentsAndEnvironmentArriveUnchanged() throws Exception {
    for (boolean terminal : new boolean[] {true, false}) {
      String value = "a b$(id)'\"\\`z\u00e9\u4e16";
      Recorder recorder = new Recorder();
      SpawnRequest request =
          new SpawnRequest(
              List.of("printf", "%s|", "a b", "", "$HOME", "*", "\u00e9\u4e16", value),
              Map.of("PATH", "/usr/bin:/bin", "V", value),
              "/",
              terminal ? Optional.of(new WindowSize(80, 24)) : Optional.empty(),
              false);
      DriverProcess process = driver.spawn(request, recorder);
      recorder.awaitEnd();
      process.release();
      assertThat(recorder.text()).isEqualTo("a b||$HOME|*|\u00e9\u4e16|" + value + "|");

      Recorder environment = new Recorder();
      process =
          driver.spawn(
              new SpawnRequest(
                  List.of("/usr/bin/env"), request.environment(), "/", request.terminal(), false),
              environment);
      environment.awaitEnd();
      process.release();
      assertThat(environment.text().lines())
          .containsExactlyInAnyOrder("PATH=/usr/bin:/bin", "V=" + value);
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void startsThatCannotWorkAreTyped(boolean terminal) throws Exception {
    Path notExecutable = Files.writeString(directory.resolve("noexec"), "echo hi\n");
    Path noShebang = executable("noshebang", "echo hi\n");
    Path noInterpreter = executable("nointerp", "#!/no/such/interpreter\n");
    Optional<WindowSize> size = terminal ? Optional.of(new WindowSize(80, 24)) : Optional.empty();
    assertKind(Kind.NOT_FOUND, request(size, false, "/no/such/bin"));
    assertKind(Kind.NOT_FOUND, request(size, false, "nosuchcmd_zz"));
    assertKind(Kind.NOT_FOUND, request(size, false, "./nosuchcmd_zz"));
    assertKind(Kind.NOT_EXECUTABLE, request(size, false, notExecutable.toString()));
    assertKind(Kind.NOT_EXECUTABLE, request(size, false, noShebang.toString()));
    assertKind(Kind.NOT_EXECUTABLE, request(size, false, noInterpreter.toString()));
    assertKind(Kind.NOT_EXECUTABLE, request(size, false, directory.toString()));
    assertKind(Kind.INVALID, request(size, false, "echo", "a\0b"));
    assertKind(Kind.INVALID, request(size, false, ""));
    List<String> echo = List.of("echo");
    assertKind(Kind.BAD_DIRECTORY, new SpawnRequest(echo, ENVIRONMENT, "/no/dir", size, false));
    assertKind(Kind.BAD_DIRECTORY, new SpawnRequest(echo, ENVIRONMENT, "/etc/hosts", size, false));
    assertKind(Kind.INVALID, new SpawnRequest(echo, ENVIRONMENT, "relative", size, false));
    assertKind(Kind.INVALID, new SpawnRequest(echo, Map.of("A=B", "x"), "/", size, false));
    assertKind(Kind.INVALID, new SpawnRequest(echo, Map.of("A", "x\0"), "/", size, false));
  }

  private void assertKind(Kind kind, SpawnRequest request) {
    assertThatThrownBy(() -> driver.spawn(request, new Recorder()))
        .isInstanceOfSatisfying(
            SpawnException.class, thrown -> assertThat(thrown.kind()).isEqualTo(kind));
  }

  private Path executable(String name, String content) throws Exception {
    Path file = Files.writeString(directory.resolve(name), content);
    Files.setPosixFilePermissions(file, PosixFilePermissions.fromString("rwxr-xr-x"));
    return file;
  }

  @Test
  void programsAreFoundInTheChildsPathAndDirectory() throws Exception {
    Files.createDirectory(directory.resolve("bin"));
    executable("bin/tool", "#!/bin/sh\necho tool in $PWD\n");
    for (String path : List.of(directory + "/bin", "/usr/bin::bin")) {
      Recorder recorder = new Recorder();
      SpawnRequest request =
          new SpawnRequest(
              List.of("tool"), Map.of("PATH", path), directory.toString(), Optional.empty(), false);
      DriverProcess process = driver.spawn(request, recorder);
      assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
      assertThat(recorder.text()).isEqualTo("tool in " + directory + "\n");
      process.release();
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aWriteThatIsNotTakenEndsAtItsDeadline(boolean terminal) throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process =
        terminal
            ? tty(recorder, "sh", "-c", "stty raw -echo; echo ready; exec sleep 60")
            : piped(recorder, "sh", "-c", "echo ready; exec sleep 60");
    recorder.awaitText("ready");
    ByteBuffer much = ByteBuffer.allocate(1 << 20);
    assertThatThrownBy(() -> process.write(much, System.nanoTime() + 300_000_000L))
        .isInstanceOf(InputTimeoutException.class);
    assertThat(much.position()).isPositive().isLessThan(1 << 20);
    Thread writer = Thread.currentThread();
    Thread interrupter = new Thread(writer::interrupt);
    interrupter.start();
    assertThatThrownBy(() -> process.write(much, in(60))).isInstanceOf(InterruptedException.class);
    interrupter.join();
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void aReleaseEndsAWriteThatWaits(boolean terminal) throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process =
        terminal
            ? tty(recorder, "sh", "-c", "stty raw -echo; echo ready; exec sleep 60")
            : piped(recorder, "sh", "-c", "echo ready; exec sleep 60");
    recorder.awaitText("ready");
    ByteBuffer much = ByteBuffer.allocate(1 << 20);
    Thread releaser =
        new Thread(
            () -> {
              while (much.position() == 0) {
                Thread.onSpinWait();
              }
              process.release();
            });
    releaser.start();
    assertThatThrownBy(() -> process.write(much, in(60))).isInstanceOf(ClosedInputException.class);
    releaser.join();
  }

  @Test
  void aTriedWriteTakesWhatGoesAndNeverBlocks() throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process =
        tty(recorder, "sh", "-c", "stty raw -echo; echo ready; head -c 3; exec sleep 60");
    recorder.awaitText("ready");
    ByteBuffer little = bytes("abc");
    assertThat(process.tryWrite(little)).isTrue();
    assertThat(little.hasRemaining()).isFalse();
    recorder.awaitText("abc");
    boolean all = true;
    for (int i = 0; all && i < 1000; i++) {
      all = process.tryWrite(ByteBuffer.allocate(1000));
    }
    assertThat(all).isFalse();
    process.signalGroup(9);
    recorder.awaitEnd();
    assertThat(process.tryWrite(bytes("x"))).isFalse();
  }

  @Test
  void aWriteToAnEndedProcessIsTyped() throws Exception {
    for (boolean terminal : new boolean[] {true, false}) {
      Recorder recorder = new Recorder();
      DriverProcess process = terminal ? tty(recorder, "true") : piped(recorder, "true");
      recorder.awaitEnd();
      assertThatThrownBy(() -> process.write(bytes("x"), in(5)))
          .isInstanceOf(ClosedInputException.class);
      process.closeInput(in(5));
      process.closeInput(in(5));
    }
  }

  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  void stoppedOutputGoesOnWithoutLoss(boolean terminal) throws Exception {
    int step = 10_000;
    Recorder recorder = new Recorder().stopAfter(step);
    DriverProcess process =
        terminal ? tty(recorder, "seq", "1", "20000") : pipes(recorder, "seq", "1", "20000");
    int total = terminal ? SEQ_BYTES : SEQ_BYTES - 20_000;
    for (int allowed = step; allowed < total; ) {
      int target = allowed;
      recorder.await(10, "output", r -> r.size() >= Math.min(target, total));
      allowed = recorder.size() + step;
      recorder.allow(allowed);
      process.resumeOutput();
    }
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
    assertThat(recorder.text().length()).isEqualTo(total);
    assertThat(recorder.text()).endsWith("20000" + (terminal ? "\r\n" : "\n"));
  }

  @Test
  void noCallbackComesAfterTheRelease() throws Exception {
    for (int i = 0; i < 50; i++) {
      Recorder recorder = new Recorder();
      DriverProcess process = tty(recorder, "sh", "-c", "while :; do echo flood; done");
      recorder.awaitText("flood");
      process.signalGroup(9);
      process.release();
      process.release();
      // One callback may still have been running.
      Recorder other = new Recorder();
      DriverProcess next = pipes(other, "true");
      other.awaitEnd();
      int size = recorder.size();
      next.release();
      assertThat(recorder.size()).isEqualTo(size);
    }
  }

  @Test
  void aDriverThatIsClosedRefuses() throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process = piped(recorder, "cat");
    driver.close();
    assertThatThrownBy(() -> pipes(new Recorder(), "true"))
        .isInstanceOf(IllegalStateException.class);
    process.write(bytes("still\n"), in(5));
    process.closeInput(in(5));
    assertThat(recorder.awaitEnd()).isEqualTo(new Exit(0, 0));
    assertThat(recorder.text()).isEqualTo("still\n");
  }

  @Test
  void childrenGetNoDescriptorsOfTheHost() throws Exception {
    try (var open = Files.newInputStream(Path.of("/proc/self/status"))) {
      assertThat(open.read()).isPositive();
      for (boolean terminal : new boolean[] {true, false}) {
        // The fourth is ls's own.
        assertThat(run(terminal, "sh", "-c", "ls /proc/self/fd").split("\\s+"))
            .containsExactly("0", "1", "2", "3");
      }
    }
  }

  @Test
  void linesAreEditedByWholeCharacters() throws Exception {
    Recorder recorder = new Recorder();
    DriverProcess process = tty(recorder, "sh", "-c", "stty -echo; echo ready; cat");
    recorder.awaitText("ready");
    process.write(ByteBuffer.wrap("x\u4e16\u007fy\n".getBytes(StandardCharsets.UTF_8)), in(5));
    recorder.awaitText("xy");
    process.closeInput(in(5));
    recorder.awaitEnd();
  }
}
