package io.sandboxspi.tck.rules;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.Flavour;
import io.sandboxspi.tck.kit.TckKit;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Real terminals; skipped without {@link Capability#TTY}. */
public interface TerminalRules extends KitAccess {
  private static YieldOptions soon() {
    return YieldOptions.forWrite()
        .window(Duration.ofSeconds(10))
        .quietAfter(Duration.ofMillis(300));
  }

  /** Writes, then collects until the text has come. */
  private String until(int id, String text, String expected) throws InterruptedException {
    Ptys ptys = kit().ptys();
    StringBuilder all = new StringBuilder();
    PtyUpdate update = ptys.write(id, text, soon());
    all.append(update.output());
    for (int i = 0; i < 5 && update.running() && !all.toString().contains(expected); i++) {
      update = ptys.poll(id, soon());
      all.append(update.output());
    }
    return all.toString();
  }

  /** 80x24 or what was asked for, from the first command on. */
  @Test
  @Rule("S-PTY-03")
  @Scenario("B35")
  default void S_PTY_03_theSizeIsSetBeforeTheProgramRuns() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate usual = ptys.start(kit().terminal("a", "stty size").collectFor(kit().slack()));
    Expect.same("S-PTY-03", "24 80\r\n", usual.output(), "the usual size");
    PtyUpdate asked =
        ptys.start(
            kit()
                .terminal("b", "stty size")
                .terminal(new TerminalSize(100, 30))
                .collectFor(kit().slack()));
    Expect.same("S-PTY-03", "30 100\r\n", asked.output(), "the size asked for");
    ExecResult command =
        kit().session().exec(Command.shell("stty size").terminal(new TerminalSize(70, 20)));
    Expect.same("S-PTY-03", "20 70\r\n", command.stdout().text(), "a command's size");
  }

  /** A shell on a terminal talks. */
  @Test
  @Rule({"S-OUT-01", "S-PTY-01"})
  @Scenario("B22")
  default void S_OUT_01_aShellAnswersEachLineOnce() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start =
        ptys.start(
            kit()
                .terminal("a", "stty -echo; PS1= PS2= ENV= exec sh")
                .collect(soon().window(Duration.ofMillis(700))));
    int id = start.id();
    String text = until(id, "for i in 1 2; do\necho v$i\ndone\n", "v2");
    Expect.same("S-OUT-01", "v1\r\nv2\r\n", text.replace("$ ", "").replace("# ", ""), "answer");
    String second = until(id, "echo $((6*7)); exit 5\n", "42");
    Expect.that("S-OUT-01", second.contains("42\r\n"), "second answer: %s", second);
  }

  /** Control characters arrive. */
  @Test
  @Rule("S-PTY-09")
  @Scenario("B32")
  default void S_PTY_09_ctrlCInterrupts() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start =
        ptys.start(
            kit()
                .terminal(
                    "a", "trap 'echo got-int; exit 3' INT; echo up; while :; do sleep 0.1; done"));
    PtyUpdate end = ptys.write(start.id(), "\u0003", soon().window(Duration.ofSeconds(20)));
    String all = end.output();
    if (end.running()) {
      end = ptys.poll(start.id());
      all += end.output();
    }
    Expect.that("S-PTY-09", all.contains("got-int"), "after Ctrl-C: %s", all);
    Expect.same("S-PTY-09", 3, end.exitCode().orElse(-1), "exit code");
    PtyUpdate plain = ptys.start(kit().terminal("b", "echo up; exec sleep 60"));
    PtyUpdate killed = ptys.write(plain.id(), "\u0003", soon());
    if (killed.running()) {
      killed = ptys.poll(plain.id());
    }
    Expect.same(
        "S-PTY-09", new ExitStatus.Signalled(2), killed.exit().orElseThrow(), "status of sleep");
  }

  /** So does the end of input. */
  @Test
  @Rule("S-PTY-09")
  @Scenario("B30")
  default void S_PTY_09_ctrlDEndsTheInput() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start = ptys.start(kit().terminal("a", "stty -echo; echo up; cat; echo end"));
    String all = until(start.id(), "abc\n\u0004", "end");
    Expect.that("S-PTY-09", all.contains("abc\r\nend\r\n"), "after Ctrl-D: %s", all);
  }

  /** Fast output on a terminal is whole. */
  @Test
  @Rule("S-OUT-05")
  @Scenario("B03")
  default void S_OUT_05_aFastProgramOnATerminalLosesNothing() throws Exception {
    Ptys ptys = kit().ptys();
    String expected =
        IntStream.rangeClosed(1, 20_000).mapToObj(i -> i + "\r\n").collect(Collectors.joining());
    for (int i = 0; i < 6; i++) {
      PtyUpdate update =
          ptys.start(kit().terminal("a", "seq 1 20000").collectFor(Duration.ofSeconds(30)));
      StringBuilder all = new StringBuilder(update.output());
      while (update.running()) {
        update = ptys.poll(update.id());
        all.append(update.output());
      }
      Expect.same("S-OUT-05", expected, all.toString(), "output of run " + i);
      Expect.same("S-OUT-05", 0, update.exitCode().orElse(-1), "exit code");
    }
  }

  /** A process that has just ended takes no input, and that is no error. */
  @Test
  @Rule("S-PTY-10")
  default void S_PTY_10_aWriteToAnEndedProcessReturnsItsEnd() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start = ptys.start(kit().terminal("a", "echo up; sleep 1.2; exit 5"));
    AtomicBoolean ended = new AtomicBoolean();
    ptys.onExit(start.id(), exit -> ended.set(true));
    kit().eventually("S-PTY-12", "onExit is called", ended::get);
    PtyUpdate end = ptys.write(start.id(), "too late\n");
    Expect.that("S-PTY-10", !end.running(), "the write shows a live id");
    Expect.same("S-PTY-10", 5, end.exitCode().orElse(-1), "exit code");
    kit().at(FaultPoint.SEND_BEFORE).tag("b").inputClosed();
    PtyUpdate other = ptys.start(kit().terminal("b", "echo up; sleep 1; exit 6"));
    PtyUpdate raced = ptys.write(other.id(), "x");
    if (raced.running()) {
      raced = ptys.poll(other.id());
    }
    Expect.same("S-PTY-10", 6, raced.exitCode().orElse(-1), "exit code after a closed input");
  }

  /** Input that nobody takes does not hang the writer. */
  @Test
  @Rule({"S-PTY-10", "S-CANCEL-02"})
  default void S_PTY_10_aWriteThatIsNotTakenIsBounded() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start = ptys.start(kit().terminal("a", "stty raw -echo; echo up; exec sleep 60"));
    String much = "x".repeat(1_000_000);
    Caller<PtyUpdate> write = kit().call(Flavour.DEADLINE, () -> ptys.write(start.id(), much));
    write.returnsWithin("S-PTY-10", Caller.DEADLINE.plus(kit().bound())).cancelled("S-CANCEL-02");
    PtyUpdate end = ptys.terminate(start.id());
    Expect.that("S-PTY-10", !end.running(), "it can be terminated");
  }

  /** A terminate ends a write that is stuck. */
  @Test
  @Rule({"S-PTY-07", "S-PTY-04"})
  @Scenario("R11")
  default void S_PTY_07_aTerminateEndsAWriteThatIsStuck() throws Exception {
    Ptys ptys = kit().ptys();
    Gate gate = kit().at(FaultPoint.SEND_BEFORE).tag("a").stuck();
    PtyUpdate start = ptys.start(kit().terminal("a", "echo up; " + kit().beating("a")));
    kit().awaitBeat("a");
    int id = start.id();
    Caller<PtyUpdate> write = kit().call(() -> ptys.write(id, "x"));
    Expect.that("S-PTY-07", gate.awaitReached(kit().slack()), "the write begins");
    Caller<PtyUpdate> poll = kit().call(() -> ptys.poll(id, PtyRules.LONG_POLL));
    Caller<PtyUpdate> terminate = kit().call(() -> ptys.terminate(id));
    PtyUpdate end = terminate.returnsWithin("S-PTY-07", kit().bound()).value("S-PTY-07");
    Expect.that("S-PTY-04", !end.running(), "terminate shows a live id");
    write.returnsWithin("S-PTY-07", kit().bound());
    poll.returnsWithin("S-PTY-07", kit().bound());
    if (write.failure().isEmpty()) {
      Expect.that("S-PTY-04", !write.value("S-PTY-07").running(), "the write shows a live id");
    } else {
      boolean typed = write.failure().get() instanceof SandboxException;
      Expect.that("S-PTY-07", typed, "the write failed with %s", write.failure().get());
    }
    kit().dead("S-PTY-07", "a");
    gate.open();
  }

  /** The size follows while the program runs. */
  @Test
  @Rule("S-PTY-11")
  default void S_PTY_11_aResizeReachesTheProgram() throws Exception {
    kit().need(Capability.RESIZE);
    Ptys ptys = kit().ptys();
    PtyUpdate start =
        ptys.start(
            kit()
                .terminal(
                    "a", "trap 'stty size; exit 0' WINCH; echo up; while :; do sleep 0.1; done"));
    ptys.resize(start.id(), new TerminalSize(101, 31));
    PtyUpdate end = ptys.poll(start.id(), PtyRules.LONG_POLL);
    Expect.that("S-PTY-11", end.output().contains("31 101"), "after a resize: %s", end.output());
    Expect.code("S-PTY-11", ErrorCode.INVALID_ARGUMENT, () -> new TerminalSize(0, 0));
  }

  /** Closing hangs a terminal up for everything on it. */
  @Test
  @Rule({"S-CLEAN-12", "S-CLEAN-09"})
  @Scenario({"B10", "B09"})
  default void S_CLEAN_12_closingEndsAShellAndWhatRunsInIt() throws Exception {
    var session = kit().session();
    PtyUpdate start = session.ptys().start(kit().terminal("a", "echo up; exec sh"));
    session
        .ptys()
        .write(
            start.id(),
            "trap '' TERM HUP; " + kit().beating("a") + "\n",
            TckKit.quick(YieldOptions.forWrite()));
    kit().awaitBeat("a");
    kit().run(session::close).returnsWithin("S-CLEAN-12", kit().closeBound()).value("S-CLEAN-12");
    kit().dead("S-CLEAN-12", "a");
  }

  /** A job that keeps the terminal delays the end for the drain only. */
  @Test
  @Rule("S-EXEC-07")
  @Scenario("B01")
  default void S_EXEC_07_aJobThatHoldsTheTerminalDelaysForTheDrainOnly() throws Exception {
    Ptys ptys = kit().ptys();
    String text = "(trap '' HUP; echo armed; exec sleep 60) & sleep 0.5; exit 7";
    Caller<PtyUpdate> start =
        kit()
            .call(
                () ->
                    ptys.start(
                        kit()
                            .terminal("a", text)
                            .collect(YieldOptions.forStart().window(Duration.ofSeconds(30)))));
    PtyUpdate end =
        start.returnsWithin("S-EXEC-07", kit().bound().plus(kit().drainBound())).value("S-EXEC-07");
    Expect.same("S-EXEC-07", 7, end.exitCode().orElse(-1), "exit code");
    Expect.that("S-EXEC-07", end.output().contains("armed"), "output: %s", end.output());
    Expect.same("S-EXEC-07", PtyEndReason.EXITED, end.endReason().orElseThrow(), "reason");
  }
}
