package io.sandboxspi.cli;

import io.sandboxspi.tck.Rule;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class ShellTest {
  @Test
  @Rule("S-CLI-03")
  void sizeFollowsTheWindow() throws Exception {
    try (OuterTerminal terminal = OuterTerminal.start("shell", "--", "sh", "-i")) {
      terminal.typeUntil("stty size\r", "30 100");
      terminal.resize(120, 40);
      terminal.typeUntil("stty size\r", "40 120");
      terminal.type("exit 7\r");
      terminal.await("code=7");
      terminal.await("restored");
    }
  }

  @Test
  @Rule("S-CLI-03")
  void ctrlCGoesToTheSandboxAndTheShellLives() throws Exception {
    try (OuterTerminal terminal = OuterTerminal.start("shell", "--", "sh", "-i")) {
      terminal.typeUntil("echo rea''dy\r", "ready");
      terminal.type("sleep 1000\r");
      terminal.type("\u0003");
      terminal.type("echo $((20+22))\r");
      terminal.await("42");
      terminal.type("exit\r");
      terminal.await("restored");
    }
  }

  @Test
  @Rule("S-CLI-03")
  void keysArriveOneByOneAndAreEchoedOnce() throws Exception {
    try (OuterTerminal terminal =
        OuterTerminal.start(
            "shell", "--", "sh", "-c", "echo ready; stty raw; head -c 3 | od -An -tx1")) {
      terminal.await("ready");
      terminal.type("a\u0003\r");
      terminal.await("61 03 0d");
      terminal.await("code=0");
      terminal.await("restored");
    }
  }

  @Test
  @Rule("S-CLI-03")
  void opensTheBestShellThereIs() throws Exception {
    try (OuterTerminal terminal = OuterTerminal.start("shell", "--env", "PS1=in-the-box> ")) {
      terminal.typeUntil("echo $((1000+1)) $TERM\r", "1001 vt100");
      terminal.type("exit\r");
      terminal.await("restored");
    }
  }

  @ParameterizedTest
  @CsvSource({"TERM, 143", "HUP, 129", "INT, 130"})
  @Rule("S-CLI-03")
  void aSignalEndsTheCommandAndRestoresTheTerminal(String signal, int code) throws Exception {
    try (OuterTerminal terminal =
        OuterTerminal.start("shell", "--", "sh", "-c", "echo pid=$$.; stty raw; sleep 1000")) {
      terminal.await("pid=");
      long inner = number(terminal.seen());
      new ProcessBuilder("kill", "-" + signal, Long.toString(terminal.pid())).start().waitFor();
      terminal.await("code=" + code);
      terminal.await("restored");
      Processes.assertEnds(inner);
    }
  }

  @Test
  @Rule("S-CLI-03")
  void theDeathOfTheCommandRestoresTheTerminal() throws Exception {
    try (OuterTerminal terminal =
        OuterTerminal.start("shell", "--", "sh", "-c", "stty raw; kill -KILL $$")) {
      terminal.await("code=137");
      terminal.await("restored");
    }
  }

  @Test
  @Rule("S-CLI-03")
  void aFailedStartLeavesTheTerminalAsItWas() throws Exception {
    try (OuterTerminal terminal = OuterTerminal.start("shell", "--", "no-such-program")) {
      terminal.await("sandbox: ");
      terminal.await("code=127");
      terminal.await("restored");
    }
  }

  @Test
  @Rule("S-CLI-03")
  void runWithTerminalTakesTheWindowsSizeAndEveryKey() throws Exception {
    try (OuterTerminal terminal =
        OuterTerminal.start(
            "run", "--tty", "--", "sh", "-c", "stty size; echo $TERM; read line; echo got $line")) {
      terminal.await("30 100");
      terminal.await("vt100");
      terminal.type("hello\r");
      terminal.await("got hello");
      terminal.await("code=0");
      terminal.await("restored");
    }
  }

  @Test
  @Rule("S-CLI-03")
  void runWithoutTerminalReadsNothingFromTheUsersTerminal() throws Exception {
    try (OuterTerminal terminal = OuterTerminal.start("run", "--", "sh", "-c", "cat; echo done")) {
      terminal.await("done");
      terminal.await("code=0");
    }
  }

  @Test
  @Rule("S-CLI-03")
  void ctrlCEndsRun() throws Exception {
    try (OuterTerminal terminal =
        OuterTerminal.start("run", "--", "sh", "-c", "echo pid=$$.; sleep 1000")) {
      terminal.await("pid=");
      long inner = number(terminal.seen());
      terminal.type("\u0003");
      terminal.await("code=130");
      Processes.assertEnds(inner);
    }
  }

  /** The number in {@code pid=123.} */
  private static long number(String text) {
    int from = text.indexOf("pid=") + "pid=".length();
    return Long.parseLong(text.substring(from, text.indexOf('.', from)));
  }
}
