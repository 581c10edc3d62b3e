package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;

/** What a command gets and gives. */
public interface CommandRules extends KitAccess {
  /** Status and streams. */
  @Test
  @Rule("S-EXEC-01")
  default void S_EXEC_01_statusAndStreamsComeBack() throws Exception {
    ExecResult result = kit().session().exec(Command.shell("echo out; echo err >&2; exit 3"));
    Expect.same("S-EXEC-01", new ExitStatus.Exited(3), result.status(), "status");
    if (kit().has(Capability.SEPARATE_STDERR)) {
      Expect.same("S-EXEC-01", "out\n", result.stdout().text(), "standard output");
      Expect.same("S-EXEC-01", "err\n", result.stderr().text(), "standard error");
    } else {
      String both = result.stdout().text() + result.stderr().text();
      Expect.that("S-EXEC-01", both.contains("out\n") && both.contains("err\n"), "got %s", both);
    }
    Expect.that("S-EXEC-01", !result.outputIncomplete(), "the output is complete");
  }

  /** Pipes change no byte. */
  @Test
  @Rule("S-EXEC-01")
  @Scenario("B21")
  default void S_EXEC_01_bytesComeBackUnchanged() throws Exception {
    ExecResult result = kit().session().exec(Command.shell("printf 'a\\nb\\000\\377\\r\\n'"));
    byte[] expected = {0x61, 0x0a, 0x62, 0, (byte) 0xff, 0x0d, 0x0a};
    byte[] seen = result.stdout().bytes();
    Expect.that("S-EXEC-01", Arrays.equals(expected, seen), "seen %s", Arrays.toString(seen));
  }

  /** Both pipes are read while the command runs. */
  @Test
  @Rule("S-EXEC-01")
  @Scenario("B25")
  default void S_EXEC_01_fullPipesDoNotBlock() throws Exception {
    Command command = Command.shell("seq 1 60000; seq 1 60000 >&2").timeout(Duration.ofSeconds(60));
    ExecResult result = kit().session().exec(command);
    Expect.same("S-EXEC-01", new ExitStatus.Exited(0), result.status(), "status");
    long all = result.stdout().totalBytes() + result.stderr().totalBytes();
    Expect.same("S-EXEC-01", 2 * 348_894L, all, "bytes on both streams");
  }

  /** Commands at the same time do not meet. */
  @Test
  @Rule("S-EXEC-01")
  @Scenario("B68")
  default void S_EXEC_01_parallelCommandsAreApart() throws Exception {
    var session = kit().session();
    List<Caller<ExecResult>> callers = new ArrayList<>();
    for (int i = 0; i < 16; i++) {
      String text = "echo start-" + i + "; sleep 0.5; echo end-" + i + " >&2; exit " + i % 7;
      callers.add(kit().call(() -> session.exec(Command.shell(text))));
    }
    for (int i = 0; i < 16; i++) {
      ExecResult result =
          callers.get(i).returnsWithin("S-EXEC-01", Duration.ofSeconds(60)).value("S-EXEC-01");
      Expect.same("S-EXEC-01", new ExitStatus.Exited(i % 7), result.status(), "status of " + i);
      String both = result.stdout().text() + result.stderr().text();
      Expect.same("S-EXEC-01", "start-" + i + "\nend-" + i + "\n", both, "output of " + i);
    }
  }

  /** No shell comes between. */
  @Test
  @Rule("S-EXEC-02")
  @Scenario("B66")
  default void S_EXEC_02_argumentsEnvironmentAndDirectoryArriveUnchanged() throws Exception {
    var session = kit().session();
    String value = "a b$(id)'\"\\`\nz é";
    String directory = "it's here; \"$(touch pwn)\"";
    session.files().makeDirectories(directory);
    ExecResult arguments =
        session.exec(Command.of("printf", "%s|", "a b", "", "$HOME", "*", "'\"\\", "é\n"));
    Expect.same("S-EXEC-02", "a b||$HOME|*|'\"\\|é\n|", arguments.stdout().text(), "arguments");
    ExecResult environment =
        session.exec(Command.shell("printf %s \"$V\"").env("V", value).workdir(directory));
    Expect.same("S-EXEC-02", value, environment.stdout().text(), "environment");
    ExecResult where = session.exec(Command.shell("pwd").workdir(directory));
    String expected = session.files().stat(directory).path();
    Expect.that(
        "S-EXEC-02",
        where.stdout().text().endsWith("/" + expected + "\n"),
        "directory: %s",
        where.stdout().text());
    Expect.code("S-EXEC-02", ErrorCode.FILE_NOT_FOUND, () -> session.files().stat("pwn"));
    Expect.code(
        "S-EXEC-02",
        ErrorCode.INVALID_ARGUMENT,
        () -> session.exec(Command.of("true").env("A B", "x")));
  }

  /** The session's variables are there, and a command's own win. */
  @Test
  @Rule("S-EXEC-02")
  default void S_EXEC_02_variablesOfTheSessionReachEveryProcess() throws Exception {
    var session = kit().session();
    ExecResult result = session.exec(Command.shell("printf %s \"$SANDBOX_TCK_RUN\""));
    Expect.same("S-EXEC-02", kit().runId(), result.stdout().text(), "the session's variable");
    ExecResult own =
        session.exec(
            Command.shell("printf %s \"$SANDBOX_TCK_TAG\"").env("SANDBOX_TCK_TAG", "mine"));
    Expect.same("S-EXEC-02", "mine", own.stdout().text(), "the command's variable");
  }

  /** More output than the limit is counted and dropped; the command goes on. */
  @Test
  @Rule("S-EXEC-05")
  @Scenario("B24")
  default void S_EXEC_05_captureIsBoundedAndTheCommandIsNotBlocked() throws Exception {
    ExecResult result =
        kit()
            .session()
            .exec(
                Command.shell("seq 1 200000; exit 4")
                    .captureLimit(1000)
                    .timeout(Duration.ofSeconds(60)));
    Expect.same("S-EXEC-05", new ExitStatus.Exited(4), result.status(), "status");
    Expect.that("S-EXEC-05", result.stdout().truncated(), "the cut is flagged");
    Expect.same("S-EXEC-05", 1_288_895L, result.stdout().totalBytes(), "true size");
    Expect.that(
        "S-EXEC-05",
        result.stdout().bytes().length <= 1000,
        "kept %d bytes of 1000",
        result.stdout().bytes().length);
  }

  /** Start errors have codes, through a shell its own. */
  @Test
  @Rule("S-EXEC-06")
  @Scenario("B39")
  default void S_EXEC_06_whatCannotStartSaysWhy() throws Exception {
    var session = kit().session();
    session.files().write("noexec", "echo never\n".getBytes(UTF_8));
    for (String missing : List.of("/no/such/bin", "no-such-command-zz")) {
      Expect.code(
          "S-EXEC-06", ErrorCode.COMMAND_NOT_FOUND, () -> session.exec(Command.of(missing)));
      Expect.code(
          "S-EXEC-06",
          ErrorCode.COMMAND_NOT_FOUND,
          () -> session.ptys().start(PtyRequest.of(missing).withoutTerminal()));
    }
    Expect.code(
        "S-EXEC-06", ErrorCode.COMMAND_NOT_EXECUTABLE, () -> session.exec(Command.of("./noexec")));
    Expect.code(
        "S-EXEC-06",
        ErrorCode.WORKING_DIRECTORY_NOT_FOUND,
        () -> session.exec(Command.of("true").workdir("no/such/directory")));
    ExecResult shell =
        session.exec(
            Command.shell(
                "/no/such/bin; echo rc=$?; no-such-command-zz; echo rc=$?;"
                    + " ./noexec; echo rc=$?"));
    String codes = shell.stdout().text().replaceAll("(?m)^(?!rc=).*\n", "");
    Expect.same("S-EXEC-06", "rc=127\nrc=127\nrc=126\n", codes, "codes of the shell");
    Expect.that("S-EXEC-06", session.ptys().list().isEmpty(), "no PTY is left");
  }

  /** A signal is no code. */
  @Test
  @Rule("S-EXIT-01")
  @Scenario("B40")
  default void S_EXIT_01_aSignalIsNotACode() throws Exception {
    kit().need(Capability.EXIT_CODE_RELIABLE);
    var session = kit().session();
    ExecResult killed = session.exec(Command.shell("kill -9 $$"));
    Expect.same("S-EXIT-01", new ExitStatus.Signalled(9), killed.status(), "after kill -9");
    ExecResult ended = session.exec(Command.shell("kill -TERM $$"));
    Expect.same("S-EXIT-01", new ExitStatus.Signalled(15), ended.status(), "after kill -TERM");
    ExecResult nested = session.exec(Command.shell("sh -c 'kill -9 $$'; echo $?"));
    Expect.same("S-EXIT-01", "137\n", nested.stdout().text(), "the shell's code of a signal");
    Expect.same("S-EXIT-01", new ExitStatus.Exited(0), nested.status(), "the shell's own");
    ExecResult highest = session.exec(Command.shell("exit 255"));
    Expect.same("S-EXIT-01", new ExitStatus.Exited(255), highest.status(), "exit 255");
  }
}
