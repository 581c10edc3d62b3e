package io.sandboxspi.tck.rules;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.Flavour;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** How a command ends when it does not end by itself. */
public interface CommandEndRules extends KitAccess {
  /** A child that takes no hint, under a shell that waits for it. */
  private String tree(String tag) {
    return "(" + kit().beating(tag).replace("do ", "do echo tick; ") + ") & wait";
  }

  /** The limit ends the tree, the error has the output, the rest goes on. */
  @Test
  @Rule("S-EXEC-04")
  @Scenario({"R24", "B06"})
  default void S_EXEC_04_timeoutKillsTheTreeAndNothingElse() throws Exception {
    SandboxSession session = kit().session();
    try (RunningCommand other = session.start(kit().shell("other", tree("other")))) {
      kit().awaitBeat("other");
      Duration limit = Duration.ofMillis(1200);
      Caller<ExecResult> exec =
          kit().call(() -> session.exec(kit().shell("a", tree("a")).timeout(limit)));
      kit().awaitBeat("a");
      Throwable thrown =
          exec.returnsWithin("S-EXEC-04", limit.plus(kit().bound()).plus(kit().drainBound()))
              .failed("S-EXEC-04");
      SandboxException timeout = Expect.code("S-EXEC-04", ErrorCode.EXEC_TIMEOUT, thrown);
      ExecResult partial =
          timeout
              .partialResult()
              .orElseThrow(() -> new AssertionError("the error has no partial result"));
      Expect.that("S-EXEC-04", partial.stdout().text().startsWith("tick\n"), "the output so far");
      Expect.that(
          "S-EXEC-04",
          timeout.context().values().stream().anyMatch(value -> value.contains("1.2")),
          "the context names the limit: %s",
          timeout.context());
      kit().dead("S-EXEC-04", "a");
      kit().alive("S-EXEC-04", "other");
      ExecResult next = session.exec(Command.shell("echo usable"));
      Expect.same("S-EXEC-04", "usable\n", next.stdout().text(), "the next command");
      Expect.same(
          "S-EXEC-01", 1, kit().provider().backends().size(), "the backend is still the same");
      Expect.that("S-EXEC-09", other.await(Duration.ofMillis(1)).isEmpty(), "the other runs on");
    }
    kit().dead("S-EXEC-09", "other");
  }

  /** A kill that hangs does not hang the caller. */
  @Test
  @Rule({"S-EXEC-04", "S-CLEAN-05", "S-CLEAN-07"})
  @Scenario("R24")
  default void S_EXEC_04_timeoutIsBoundedWhenTheKillHangs() throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("a").stuck();
    SandboxSession session = kit().session();
    Command command = kit().shell("a", tree("a")).timeout(Duration.ofMillis(700));
    Caller<ExecResult> exec = kit().call(() -> session.exec(command));
    Expect.that("S-EXEC-04", gate.awaitReached(kit().bound()), "a kill is tried at the limit");
    Throwable thrown =
        exec.returnsWithin("S-CLEAN-05", kit().bound().plus(kit().drainBound()))
            .failed("S-EXEC-04");
    Expect.code("S-EXEC-04", ErrorCode.EXEC_TIMEOUT, thrown);
    Expect.same("S-CLEAN-07", 1L, kit().ownedProcesses(), "processes owned while not proven");
    Expect.same(
        "S-EXEC-04",
        new ExitStatus.Exited(0),
        session.exec(Command.of("true")).status(),
        "the next command");
    gate.open();
    kit().dead("S-CLEAN-07", "a");
    kit().ownsNothing("S-CLEAN-07");
  }

  /** Cancelling is as thorough as a timeout. */
  @ParameterizedTest
  @EnumSource(Flavour.class)
  @Rule({"S-EXEC-08", "S-CANCEL-02"})
  @Scenario({"R24", "B09"})
  default void S_EXEC_08_cancellingTheCallerKillsTheTree(Flavour flavour) throws Exception {
    SandboxSession session = kit().session();
    Caller<ExecResult> exec = kit().call(flavour, () -> session.exec(kit().shell("a", tree("a"))));
    kit().awaitBeat("a");
    exec.cancel();
    exec.returnsWithin("S-EXEC-08", kit().bound().plus(kit().drainBound()))
        .cancelled("S-CANCEL-02");
    kit().dead("S-EXEC-08", "a");
    Expect.same(
        "S-EXEC-08",
        new ExitStatus.Exited(0),
        session.exec(Command.of("true")).status(),
        "the next command");
    kit().ownsNothing("S-EXEC-08");
  }

  /** The reason given to a command comes back from everything that waits for it. */
  @Test
  @Rule({"S-EXEC-08", "S-CANCEL-02"})
  default void S_EXEC_08_cancellingACommandKillsItsTree() throws Exception {
    SandboxSession session = kit().session();
    RuntimeException reason = new RuntimeException("enough");
    RunningCommand command = session.start(kit().shell("a", tree("a")));
    kit().awaitBeat("a");
    Caller<ExecResult> waiting = kit().call(command::await);
    Expect.that("S-EXEC-08", command.cancel(reason), "the first cancel counts");
    Expect.that("S-EXEC-08", !command.cancel(new RuntimeException("late")), "the second does not");
    Throwable thrown =
        waiting
            .returnsWithin("S-EXEC-08", kit().bound().plus(kit().drainBound()))
            .failed("S-CANCEL-02");
    Expect.that("S-CANCEL-02", thrown == reason, "await gives %s", thrown);
    kit()
        .eventually(
            "S-CANCEL-02",
            "the future fails, too",
            () -> command.result().isCompletedExceptionally());
    kit().dead("S-EXEC-08", "a");
    command.close();
    kit().ownsNothing("S-EXEC-08");
  }

  /** Everything that ends a session's processes ends its commands. */
  @Test
  @Rule("S-EXEC-09")
  default void S_EXEC_09_theSessionOwnsItsCommands() throws Exception {
    SandboxSession session = kit().session();
    for (String tag : new String[] {"a", "b", "c", "d"}) {
      RunningCommand unused = session.start(kit().shell(tag, tree(tag)));
    }
    RunningCommand closed = session.start(kit().shell("closed", tree("closed")));
    kit().awaitBeat("closed");
    kit().awaitBeat("a");
    kit().run(closed::close).returnsWithin("S-EXEC-09", kit().bound()).value("S-EXEC-09");
    kit().dead("S-EXEC-09", "closed");
    kit().alive("S-EXEC-09", "a");
    kit().terminateAll().returnsWithin("S-EXEC-09", kit().bound()).value("S-EXEC-09");
    kit().dead("S-EXEC-09", "a", "b", "c", "d");
    RunningCommand stopped = session.start(kit().shell("stopped", tree("stopped")));
    kit().awaitBeat("stopped");
    kit().run(session::stop).returnsWithin("S-EXEC-09", kit().bound()).value("S-EXEC-09");
    kit().dead("S-EXEC-09", "stopped");
    kit().eventually("S-EXEC-09", "the result is known", () -> stopped.result().isDone());
    RunningCommand unused = session.start(kit().shell("last", tree("last")));
    kit().awaitBeat("last");
    kit().run(session::close).returnsWithin("S-EXEC-09", kit().closeBound()).value("S-EXEC-09");
    kit().dead("S-EXEC-09", "last");
  }

  /** A daemon that keeps the pipe delays the result for a bounded time. */
  @Test
  @Rule("S-EXEC-07")
  @Scenario("B01")
  default void S_EXEC_07_aDescendantThatHoldsTheOutputDelaysForTheDrainOnly() throws Exception {
    SandboxSession session = kit().session();
    Command command = kit().shell("a", "(trap '' HUP; exec sleep 60) & echo done; exit 7");
    Caller<ExecResult> exec = kit().call(() -> session.exec(command));
    ExecResult result =
        exec.returnsWithin("S-EXEC-07", kit().drainBound().plus(kit().bound())).value("S-EXEC-07");
    Expect.same("S-EXEC-07", new ExitStatus.Exited(7), result.status(), "status");
    Expect.same("S-EXEC-07", "done\n", result.stdout().text(), "output");
    Expect.that("S-EXEC-07", result.outputIncomplete(), "flagged as incomplete");
  }
}
