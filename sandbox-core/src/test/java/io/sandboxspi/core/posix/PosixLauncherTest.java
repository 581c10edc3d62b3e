package io.sandboxspi.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Launches real programs under every shell. */
class PosixLauncherTest {
  private static final String SHOW = "for a; do printf '<%s>' \"$a\"; done";

  private static final List<String> TORTURE =
      List.of(
          "",
          " ",
          "-n",
          "--",
          "'",
          "\"",
          "\\",
          "a'b\"c\\d",
          "$HOME `id` $(id) ${x}",
          "line\nline\n",
          "*?[a-z]~",
          "\t\u0001\u001e\u007f",
          "!#%&|;<>(){}",
          "ü€😀",
          "a=b");

  /** What a launch announced, and what the program printed. */
  private record Said(List<LaunchReport> reports, String output) {}

  private static Said read(LaunchRequest request, byte[] output) {
    return read(request, output, Optional.empty());
  }

  private static Said read(LaunchRequest request, byte[] output, Optional<LaunchId> mark) {
    List<LaunchReport> reports = new ArrayList<>();
    ByteArrayOutputStream rest = new ByteArrayOutputStream();
    LaunchMarks marks =
        mark.isPresent()
            ? LaunchMarks.of(request.id(), mark.get(), reports::add, bytes -> copy(bytes, rest))
            : LaunchMarks.of(request.id(), reports::add, bytes -> copy(bytes, rest));
    marks.feed(ByteBuffer.wrap(output));
    marks.finish();
    return new Said(reports, rest.toString(StandardCharsets.UTF_8));
  }

  private static void copy(ByteBuffer bytes, ByteArrayOutputStream to) {
    while (bytes.hasRemaining()) {
      to.write(bytes.get());
    }
  }

  private static LaunchRequest with(LaunchRequest plain, Map<String, String> environment) {
    return new LaunchRequest(
        plain.id(), plain.argv(), environment, plain.workdir(), plain.terminal(), false);
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-01")
  void argumentsReachTheProgramUnchanged(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      List<String> argv = new ArrayList<>(List.of(bed.state.shell(), "-c", SHOW, "x"));
      argv.addAll(TORTURE);
      String expected = String.join("", TORTURE.stream().map(arg -> "<" + arg + ">").toList());

      LaunchRequest direct = bed.request(argv.toArray(String[]::new));
      assertThat(bed.run(bed.launcher().argv(direct, "/")).text()).isEqualTo(expected);

      LaunchRequest supervised = bed.request(argv.toArray(String[]::new));
      assertThat(bed.run(bed.launcher(LaunchOption.SUPERVISE).argv(supervised, "/")).text())
          .isEqualTo(expected);

      LaunchRequest typed = bed.request(argv.toArray(String[]::new));
      String line = bed.launcher().line(typed, "/");
      assertThat(line).matches("[ -~]*").doesNotContain("\n");
      assertThat(bed.run(List.of(bed.state.shell(), "-c", line)).text()).isEqualTo(expected);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-01")
  void variablesReachTheProgramUnchanged(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Map<String, String> variables = new LinkedHashMap<>();
      for (int i = 0; i < TORTURE.size(); i++) {
        variables.put("V_" + i, TORTURE.get(i));
      }
      for (String owned :
          "IFS OPTIND PPID UID SHLVL PWD OLDPWD LC_ALL LANG PS1 ENV BASH_ENV SECONDS __s_id RANDOM"
              .split(" ")) {
        variables.put(owned, "of the program");
      }
      variables.put("PATH", "/nowhere:" + world.path());
      variables.put("id", "mine");
      String show = world == World.BUSYBOX ? "env" : "/usr/bin/env";
      String zero = world == World.BUSYBOX ? "" : "-0";
      List<String> argv = zero.isEmpty() ? List.of(show) : List.of(show, zero);
      LaunchRequest request = with(bed.request(argv.toArray(String[]::new)), variables);
      for (LaunchOption option : LaunchOption.values()) {
        LaunchRequest each = with(bed.request(argv.toArray(String[]::new)), request.environment());
        PosixLauncher launcher = bed.launcher(option);
        Bed.Result result = bed.run(launcher.argv(each, "/"), launcher.environment(each));
        String separator = zero.isEmpty() ? "\n" : "\0";
        String text = separator + result.text().replaceFirst("^\u001e[^\u001e]*\u001e", "");
        variables.forEach(
            (name, value) ->
                assertThat(text)
                    .as(option + " " + name)
                    .contains(separator + name + "=" + value + separator));
        assertThat(text).contains(separator + "SANDBOX_PROCESS=" + each.id() + separator);
        assertThat(result.error()).isEmpty();
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-02")
  void whatKeepsAProgramFromStartingIsTyped(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Path plain = Files.createFile(bed.root.resolve("plain"));
      Path closed = Files.createDirectory(bed.root.resolve("in'the way"));
      String file = plain.toString();
      expect(bed, bed.request("no-such-program"), "/", ErrorCode.COMMAND_NOT_FOUND, 127);
      expect(bed, bed.request("exit", "3"), "/", ErrorCode.COMMAND_NOT_FOUND, 127);
      expect(bed, bed.request("/no/such"), "/", ErrorCode.COMMAND_NOT_FOUND, 127);
      expect(bed, bed.request(file + "/x"), "/", ErrorCode.COMMAND_NOT_FOUND, 127);
      expect(bed, bed.request(file), "/", ErrorCode.COMMAND_NOT_EXECUTABLE, 126);
      expect(
          bed, bed.request("./plain"), bed.root.toString(), ErrorCode.COMMAND_NOT_EXECUTABLE, 126);
      expect(bed, bed.request(closed.toString()), "/", ErrorCode.COMMAND_NOT_EXECUTABLE, 126);
      expect(bed, bed.request("sh"), "/no/such", ErrorCode.WORKING_DIRECTORY_NOT_FOUND, 125);
      expect(bed, bed.request("sh"), file, ErrorCode.WORKING_DIRECTORY_NOT_FOUND, 125);
      expect(bed, bed.request("sh"), bed.root + "/*", ErrorCode.WORKING_DIRECTORY_NOT_FOUND, 125);

      Map<String, String> path = Map.of("PATH", bed.root.toString());
      expect(bed, bed.request(path, "plain"), "/", ErrorCode.COMMAND_NOT_EXECUTABLE, 126);
    }
  }

  private static void expect(
      Bed bed, LaunchRequest request, String workdir, ErrorCode code, int exit) throws Exception {
    for (LaunchOption more : List.of(LaunchOption.ANNOUNCE, LaunchOption.SUPERVISE)) {
      LaunchRequest each =
          with(bed.request(request.argv().toArray(String[]::new)), request.environment());
      Bed.Result result = bed.run(bed.launcher(LaunchOption.ANNOUNCE, more).argv(each, workdir));
      Said said = read(each, result.output());
      assertThat(said.reports()).singleElement().isInstanceOf(LaunchReport.Failed.class);
      assertThat(((LaunchReport.Failed) said.reports().get(0)).code()).isEqualTo(code);
      assertThat(said.output()).isEmpty();
      assertThat(result.error()).isEmpty();
      assertThat(result.code()).isEqualTo(exit);
      assertThat(bed.status(each.id())).isEqualTo(said.reports().get(0));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-02")
  void outputCannotForgeAReport(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchRequest request =
          bed.script(
              "printf '\\036%s ERROR COMMAND_NOT_FOUND program\\036' \"$SANDBOX_PROCESS\"; exit 127");
      Bed.Result result =
          bed.run(bed.launcher(LaunchOption.ANNOUNCE, LaunchOption.SUPERVISE).argv(request, "/"));
      Said said = read(request, result.output());
      assertThat(said.reports()).singleElement().isInstanceOf(LaunchReport.Started.class);
      assertThat(said.output()).contains("COMMAND_NOT_FOUND");
      assertThat(bed.status(request.id()))
          .isEqualTo(new LaunchReport.Ended(new ExitStatus.Exited(127)));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-02")
  void aStateDirectoryThatCannotBeTrustedIsRefused(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Path real = Files.createDirectory(bed.root.resolve("real"));
      Files.createSymbolicLink(Path.of(bed.state.directory()), real);
      LaunchRequest request = bed.request("sh", "-c", "echo ran");
      Bed.Result result = bed.run(bed.launcher(LaunchOption.ANNOUNCE).argv(request, "/"));
      assertThat(read(request, result.output()).reports())
          .containsExactly(new LaunchReport.Failed(ErrorCode.LAUNCH_FAILED, "state directory"));
      assertThat(result.code()).isEqualTo(125);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-03")
  void theProgramLeadsASessionThatIsRecorded(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      String show = "read -r line </proc/$$/stat; echo \"$line\"; cat \"$1\"; echo \"$PPID\"";
      for (boolean led : List.of(false, true)) {
        LaunchRequest blank = bed.request("x");
        LaunchRequest request =
            new LaunchRequest(
                blank.id(),
                List.of(bed.state.shell(), "-c", show, "x", bed.file(blank.id(), "pid").toString()),
                Map.of(),
                Optional.empty(),
                Optional.empty(),
                false);
        List<String> argv = bed.launcher(LaunchOption.ANNOUNCE).argv(request, "/");
        if (led) {
          argv.addAll(0, List.of(World.find("setsid").toString()));
        }
        Said said = read(request, bed.run(argv).output());
        String[] lines = said.output().split("\n");
        String[] stat = lines[0].substring(lines[0].lastIndexOf(')') + 2).split(" ");
        String pid = lines[0].substring(0, lines[0].indexOf(' '));
        assertThat(stat[2]).as("group").isEqualTo(pid);
        assertThat(stat[3]).as("session").isEqualTo(pid);
        assertThat(lines[1]).isEqualTo(pid + " " + stat[19] + " - .");
        assertThat(said.reports()).containsExactly(new LaunchReport.Started(Long.parseLong(pid)));
        assertThat(
                PosixFilePermissions.toString(
                    Files.getPosixFilePermissions(Path.of(bed.state.directory()))))
            .isEqualTo("rwx------");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-03")
  void anIdStartsOnce(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchRequest request = bed.script("echo ran");
      List<String> argv = bed.launcher(LaunchOption.ANNOUNCE).argv(request, "/");
      assertThat(read(request, bed.run(argv).output()).output()).isEqualTo("ran\n");
      Said second = read(request, bed.run(argv).output());
      assertThat(second.output()).isEmpty();
      assertThat(second.reports())
          .containsExactly(new LaunchReport.Failed(ErrorCode.LAUNCH_FAILED, "record"));
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-03")
  @Tag("S-SPI-03")
  void aKillBetweenRecordAndStartIsObeyed(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchRequest first = bed.request("true");
      bed.run(bed.launcher().argv(first, "/"));
      LaunchRequest request = bed.script("echo ran");
      // A pipe in place of the record holds the launcher at its record.
      Path record = bed.file(request.id(), "pid");
      bed.run(List.of(World.find("mkfifo").toString(), record.toString()));
      Process process = bed.start(bed.launcher(LaunchOption.ANNOUNCE).argv(request, "/"));
      // It has the session by now or soon; the tombstone comes while it waits to record.
      String held = "record";
      Within.until(() -> !sessionShells(request).isEmpty());
      Files.createFile(bed.file(request.id(), "dead"));
      held = Files.readString(record);
      assertThat(held).endsWith(" .\n");
      Said said = read(request, Bed.output(process));
      assertThat(said.reports()).containsExactly(LaunchReport.Refused.INSTANCE);
      assertThat(said.output()).isEmpty();
      assertThat(process.waitFor()).isEqualTo(125);
    }
  }

  private static List<Long> sessionShells(LaunchRequest request) {
    return Bed.alive(request.id().value()).stream()
        .filter(
            pid -> {
              String stat = Bed.read(pid, "stat");
              String[] fields = stat.substring(stat.lastIndexOf(')') + 2).split(" ");
              return fields[3].equals(String.valueOf(pid));
            })
        .toList();
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-04")
  void howASupervisedProgramEndedIsKept(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      for (int code : new int[] {0, 1, 125, 126, 127, 128, 129, 137, 139, 142, 255}) {
        ended(bed, "exit " + code, new ExitStatus.Exited(code));
      }
      for (int signal : new int[] {1, 2, 6, 9, 10, 13, 14, 15}) {
        ended(bed, "kill -" + signal + " $$; sleep 5", new ExitStatus.Signalled(signal));
      }
    }
  }

  private static void ended(Bed bed, String script, ExitStatus status) throws Exception {
    // Dash for all: other shells act on signals of their own.
    LaunchRequest request = bed.request(World.DASH.shell(), "-c", script);
    LaunchId mark = LaunchId.random();
    Bed.Result result =
        bed.run(
            bed.launcher(LaunchOption.ANNOUNCE, LaunchOption.SUPERVISE)
                .exitMark(mark)
                .argv(request, "/"));
    assertThat(read(request, result.output(), Optional.of(mark)).reports())
        .as(script)
        .hasSize(2)
        .last()
        .isEqualTo(new LaunchReport.Ended(status));
    assertThat(bed.status(request.id())).isEqualTo(new LaunchReport.Ended(status));
    assertThat(result.error()).as(script).isEmpty();
    assertThat(result.code())
        .isEqualTo(
            status instanceof ExitStatus.Signalled killed
                ? 128 + killed.signal()
                : ((ExitStatus.Exited) status).code());
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-04")
  void theSupervisorOutlivesSignalsToItsGroup(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchRequest request =
          bed.request(
              World.DASH.shell(),
              "-c",
              "trap 'echo got; exit 5' TERM; echo ready; while :; do sleep 0.05; done");
      Process process = bed.start(bed.launcher(LaunchOption.SUPERVISE).argv(request, "/"));
      var reader = process.inputReader();
      assertThat(reader.readLine()).isEqualTo("ready");
      String command = PosixSignal.command(bed.state, io.sandboxspi.Signal.TERM, request.id());
      assertThat(PosixSignal.parse(request.id(), bed.run(bed.state.argv(command)).text()))
          .isEqualTo(PosixSignal.Answer.SENT);
      assertThat(reader.readLine()).isEqualTo("got");
      assertThat(process.waitFor()).isEqualTo(5);
      assertThat(bed.status(request.id()))
          .isEqualTo(new LaunchReport.Ended(new ExitStatus.Exited(5)));
      assertThat(PosixSignal.parse(request.id(), bed.run(bed.state.argv(command)).text()))
          .isEqualTo(PosixSignal.Answer.GONE);
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-03")
  void aTerminalHasItsSizeAndControlsTheSession(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchRequest plain = bed.script("stty size; stty size </dev/tty; echo \"$1\"");
      LaunchRequest request =
          new LaunchRequest(
              plain.id(),
              plain.argv(),
              Map.of(),
              Optional.empty(),
              Optional.of(new TerminalSize(101, 37)),
              true);
      // Only root may take a terminal away from a session that has it.
      boolean root = "root".equals(System.getProperty("user.name"));
      for (String prefix : root ? List.of("exec ", "") : List.of("exec ")) {
        LaunchRequest each =
            new LaunchRequest(
                bed.script("").id(),
                request.argv(),
                Map.of(),
                Optional.empty(),
                request.terminal(),
                true);
        String command =
            prefix
                + ShellText.quote(
                    bed.launcher(LaunchOption.ANNOUNCE, LaunchOption.TERMINAL_SIZE)
                        .argv(each, "/"));
        Bed.Result result =
            bed.run(
                List.of(World.find("script").toString(), "-q", "-e", "-c", command, "/dev/null"),
                Map.of("SHELL", bed.state.shell()));
        assertThat(read(each, result.output()).output())
            .as(() -> result.code() + ": " + result.text() + result.error())
            .startsWith("37 101\r\n37 101\r\n");
      }
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-05")
  void aSpareTakesOneLaunch(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchId spare = bed.request("x").id();
      Process process = bed.start(bed.launcher(LaunchOption.ANNOUNCE).spare(spare));
      Within.until(() -> bed.status(spare) == LaunchReport.Waiting.INSTANCE);

      List<String> argv =
          new ArrayList<>(List.of(bed.state.shell(), "-c", SHOW + "; pwd; exit 7", "x"));
      argv.addAll(TORTURE);
      LaunchRequest request = with(bed.request(argv.toArray(String[]::new)), Map.of("A", "it's"));
      String command = bed.launcher(LaunchOption.ANNOUNCE).release(spare, request, "/usr");
      assertThat(PosixLauncher.released(spare, bed.run(bed.state.argv(command)).text())).isTrue();

      Said said = read(request, Bed.output(process));
      assertThat(said.reports()).singleElement().isInstanceOf(LaunchReport.Started.class);
      assertThat(said.output())
          .isEqualTo(
              String.join("", TORTURE.stream().map(arg -> "<" + arg + ">").toList()) + "/usr\n");
      assertThat(process.waitFor()).isEqualTo(7);

      assertThat(bed.kill(request.id()))
          .containsValue(io.sandboxspi.spi.TerminationOutcome.alreadyGone());
      assertThat(bed.kept(spare)).isEmpty();
      assertThat(bed.kept(request.id())).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-05")
  void aDeadSpareStartsNothing(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchId spare = bed.request("x").id();
      bed.start(bed.launcher().spare(spare));
      Within.until(() -> bed.status(spare) == LaunchReport.Waiting.INSTANCE);
      assertThat(bed.kill(spare)).containsValue(io.sandboxspi.spi.TerminationOutcome.confirmed());
      LaunchRequest request = bed.script("echo ran");
      String command = bed.launcher().release(spare, request, "/");
      assertThat(PosixLauncher.released(spare, bed.run(bed.state.argv(command)).text())).isFalse();
      assertThat(bed.kept(spare)).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-05")
  void aSpareRefusesALaunchThatWasKilled(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      LaunchId spare = bed.request("x").id();
      Process process = bed.start(bed.launcher(LaunchOption.ANNOUNCE).spare(spare));
      Within.until(() -> bed.status(spare) == LaunchReport.Waiting.INSTANCE);
      LaunchRequest request = bed.script("echo ran");
      bed.kill(request.id());
      bed.run(bed.state.argv(bed.launcher(LaunchOption.ANNOUNCE).release(spare, request, "/")));
      Said said = read(request, Bed.output(process));
      assertThat(said.reports()).containsExactly(LaunchReport.Refused.INSTANCE);
      assertThat(said.output()).isEmpty();
    }
  }

  @ParameterizedTest
  @EnumSource
  @Tag("S-POSIX-01")
  void withoutInputAProgramReadsItsEnd(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      Process process = bed.start(bed.launcher().argv(bed.request("cat"), "/"));
      assertThat(Bed.output(process)).isEmpty();
      assertThat(process.waitFor()).isZero();
    }
  }

  @org.junit.jupiter.api.Test
  @Tag("S-POSIX-01")
  void aNulOrARelativeDirectoryIsRefused() throws Exception {
    try (Bed bed = new Bed(World.DASH)) {
      assertThatThrownBy(() -> bed.launcher().argv(bed.request("x"), "here"))
          .isInstanceOf(SandboxException.class)
          .hasMessageContaining("workdir");
      assertThatThrownBy(() -> ShellText.quote("a\0b")).isInstanceOf(SandboxException.class);
    }
  }
}
