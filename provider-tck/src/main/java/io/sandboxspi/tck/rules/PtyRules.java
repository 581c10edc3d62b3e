package io.sandboxspi.tck.rules;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyExit;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.RuleViolation;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.TckKit;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.ResourceLock;

/** Processes with ids, as far as they need no terminal. */
public interface PtyRules extends KitAccess {
  /** The longest window a poll can have. */
  YieldOptions LONG_POLL = YieldOptions.forPoll().window(Duration.ofSeconds(30));

  /** A start gives an id while it runs, and the end if it ended. */
  @Test
  @Rule({"S-PTY-01", "S-PTY-04"})
  default void S_PTY_01_aStartReturnsFirstOutputAndIdOrTheEnd() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate live = ptys.start(kit().pty("a", "echo hello; exec sleep 60"));
    Expect.that("S-PTY-01", live.running(), "it runs");
    Expect.same("S-PTY-01", "hello\n", live.output(), "first output");
    Expect.that("S-REG-01", live.id() >= 1000 && live.id() <= 99_999, "id %d", live.id());
    List<PtyInfo> list = ptys.list();
    Expect.same("S-PTY-01", 1, list.size(), "listed PTYs");
    Expect.same("S-PTY-01", live.id(), list.get(0).id(), "listed id");
    Caller<PtyUpdate> start =
        kit()
            .call(
                () ->
                    ptys.start(
                        kit()
                            .pty("b", "echo bye; exit 4")
                            .collect(YieldOptions.forStart().window(Duration.ofSeconds(30)))));
    PtyUpdate ended = start.returnsWithin("S-PTY-01", Duration.ofSeconds(15)).value("S-PTY-01");
    Expect.that("S-PTY-04", !ended.running(), "no id of a process that has ended");
    Expect.same("S-PTY-01", "bye\n", ended.output(), "output of one that ended");
    Expect.same("S-PTY-01", PtyEndReason.EXITED, ended.endReason().orElseThrow(), "reason");
    Expect.same("S-PTY-01", 4, ended.exitCode().orElse(-1), "exit code");
  }

  /** Opening has a limit of its own. */
  @Test
  @Rule({"S-PTY-02", "S-CLEAN-11"})
  default void S_PTY_02_openTimeoutBoundsTheOpeningOnly() throws Exception {
    Ptys ptys = kit().ptys();
    Gate gate = kit().at(FaultPoint.OPEN_BEFORE).tag("slow").block();
    Caller<PtyUpdate> slow =
        kit()
            .call(
                () -> ptys.start(kit().pty("slow", "echo x").openTimeout(Duration.ofMillis(600))));
    Expect.that("S-PTY-02", gate.awaitReached(kit().slack()), "the launch begins");
    Throwable thrown = slow.returnsWithin("S-PTY-02", kit().bound()).failed("S-PTY-02");
    Expect.code("S-PTY-02", ErrorCode.OPEN_TIMEOUT, thrown);
    kit().ownsNothing("S-CLEAN-11");
    PtyUpdate quick =
        ptys.start(kit().pty("a", "echo x; exec sleep 60").openTimeout(Duration.ofMillis(2500)));
    kit().pass(Duration.ofMillis(2700));
    Expect.that(
        "S-PTY-02",
        ptys.list().stream().anyMatch(p -> p.id() == quick.id() && p.exit().isEmpty()),
        "the open timeout ended the life");
  }

  /** So has the life. */
  @Test
  @Rule("S-PTY-02")
  default void S_PTY_02_maxLifetimeEndsTheLife() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start =
        ptys.start(
            kit().pty("a", "echo up; " + kit().beating("a")).maxLifetime(Duration.ofMillis(1500)));
    kit().awaitBeat("a");
    Caller<PtyUpdate> poll = kit().call(() -> ptys.poll(start.id(), LONG_POLL));
    PtyUpdate end =
        poll.returnsWithin("S-PTY-02", kit().bound().plusMillis(1500)).value("S-PTY-02");
    Expect.same("S-PTY-02", PtyEndReason.KILLED, end.endReason().orElseThrow(), "reason");
    kit().dead("S-PTY-02", "a");
  }

  /** After the end the id is unknown. */
  @Test
  @Rule("S-PTY-04")
  default void S_PTY_04_anEndedIdIsNotFound() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start = ptys.start(kit().pty("a", "echo up; sleep 1.2; exit 6"));
    int id = start.id();
    PtyUpdate end = ptys.poll(id, LONG_POLL);
    Expect.that("S-PTY-04", !end.running(), "the final update shows an id");
    Expect.same("S-PTY-04", 6, end.exitCode().orElse(-1), "exit code");
    Expect.code("S-PTY-04", ErrorCode.PTY_NOT_FOUND, () -> ptys.poll(id));
    Expect.code("S-PTY-04", ErrorCode.PTY_NOT_FOUND, () -> ptys.write(id, "x"));
    Expect.code("S-PTY-04", ErrorCode.PTY_NOT_FOUND, () -> ptys.terminate(id));
    Expect.that("S-PTY-04", ptys.list().isEmpty(), "it is still listed");
    int killed = kit().beat("b");
    PtyUpdate update = ptys.terminate(killed);
    Expect.that("S-PTY-04", !update.running(), "terminate shows an id");
    Expect.same("S-PTY-04", PtyEndReason.KILLED, update.endReason().orElseThrow(), "reason");
    Expect.code("S-PTY-04", ErrorCode.PTY_NOT_FOUND, () -> ptys.poll(killed));
    kit().dead("S-PTY-04", "b");
    Expect.code("S-PTY-04", ErrorCode.PTY_NOT_FOUND, () -> kit().open().ptys().poll(killed));
  }

  /** Silence ends a window early. */
  @Test
  @Rule("S-PTY-06")
  default void S_PTY_06_quietAfterEndsTheWindow() throws Exception {
    Ptys ptys = kit().ptys();
    YieldOptions options =
        YieldOptions.forStart().window(Duration.ofSeconds(30)).quietAfter(Duration.ofMillis(800));
    String text = "echo 1; sleep 0.2; echo 2; exec sleep 60";
    Caller<PtyUpdate> start = kit().call(() -> ptys.start(kit().pty("a", text).collect(options)));
    PtyUpdate update = start.returnsWithin("S-PTY-06", Duration.ofSeconds(15)).value("S-PTY-06");
    Expect.same("S-PTY-06", "1\n2\n", update.output(), "output before the silence");
    Expect.that("S-PTY-06", update.running(), "it runs on");
  }

  /** A terminate does not queue, and ends what waits. */
  @Test
  @Rule({"S-PTY-07", "S-PTY-04"})
  @Scenario({"R11", "B73"})
  default void S_PTY_07_aTerminateEndsAPollThatWaits() throws Exception {
    Ptys ptys = kit().ptys();
    int id = kit().beat("a");
    Caller<PtyUpdate> poll = kit().call(() -> ptys.poll(id, LONG_POLL));
    Caller<PtyUpdate> second = kit().call(() -> ptys.poll(id, LONG_POLL));
    kit().pass(Duration.ofMillis(400));
    Caller<PtyUpdate> terminate = kit().call(() -> ptys.terminate(id));
    PtyUpdate end = terminate.returnsWithin("S-PTY-07", kit().bound()).value("S-PTY-07");
    Expect.that("S-PTY-04", !end.running(), "terminate shows a live id");
    for (Caller<PtyUpdate> waiting : List.of(poll, second)) {
      ended(waiting.returnsWithin("S-PTY-07", kit().bound()));
    }
    kit().dead("S-PTY-07", "a");
  }

  /** The call ended with a final update or not-found, without a live id. */
  private static void ended(Caller<PtyUpdate> call) {
    if (call.failure().isPresent()) {
      Expect.code("S-PTY-07", ErrorCode.PTY_NOT_FOUND, call.failure().get());
    } else {
      PtyUpdate update = call.value("S-PTY-07");
      Expect.that("S-PTY-04", !update.running(), "the live id of a dead PTY");
      Expect.same("S-PTY-07", PtyEndReason.KILLED, update.endReason().orElseThrow(), "reason");
    }
  }

  /** Without a terminal there is no input. */
  @Test
  @Rule("S-PTY-08")
  default void S_PTY_08_withoutATerminalInputIsRefusedAndAPollServed() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate start =
        ptys.start(kit().pty("a", "echo up; while [ ! -e go ]; do sleep 0.1; done; echo more"));
    int id = start.id();
    Expect.code("S-PTY-08", ErrorCode.STDIN_UNAVAILABLE, () -> ptys.write(id, "x\n"));
    kit().files().write("go", new byte[0]);
    PtyUpdate end = ptys.poll(id);
    Expect.same("S-PTY-08", "more\n", end.output(), "a poll after the refusal");
    Expect.that("S-PTY-08", !ptys.list().stream().anyMatch(p -> p.id() == id), "it ended");
  }

  /** A signal reaches the group, a late one nobody. */
  @Test
  @Rule("S-PTY-11")
  default void S_PTY_11_aSignalReachesTheGroupAndNeverThrowsForAnEndedProcess() throws Exception {
    kit().need(Capability.SIGNALS);
    Ptys ptys = kit().ptys();
    String text =
        "(trap 'echo child; exit 0' USR1; echo ready; while :; do sleep 0.1; done) &"
            + " trap 'echo parent' USR1; wait; wait; exit 3";
    PtyUpdate start = ptys.start(kit().pty("a", text));
    ptys.signal(start.id(), Signal.USR1);
    PtyUpdate end = ptys.poll(start.id(), LONG_POLL);
    Expect.that(
        "S-PTY-11",
        end.output().contains("child") && end.output().contains("parent"),
        "output after the signal: %s",
        end.output());
    PtyUpdate other = ptys.start(kit().pty("b", "echo up; sleep 1.2; exit 0"));
    AtomicBoolean told = new AtomicBoolean();
    ptys.onExit(other.id(), exit -> told.set(true));
    kit().eventually("S-PTY-12", "onExit is called", told::get);
    ptys.signal(other.id(), Signal.TERM);
    PtyUpdate gone = ptys.poll(other.id());
    Expect.same("S-PTY-11", 0, gone.exitCode().orElse(-1), "exit code after a late signal");
  }

  /** A resize that loses the race with the end is quiet. */
  @Test
  @Rule("S-PTY-11")
  @Scenario("B34")
  default void S_PTY_11_aResizeThatRacesTheEndIsQuiet() throws Exception {
    kit().need(Capability.TTY);
    kit().need(Capability.RESIZE);
    Ptys ptys = kit().ptys();
    for (int i = 0; i < 10; i++) {
      PtyUpdate start = ptys.start(kit().terminal("a", "echo up; sleep 0.1"));
      if (!start.running()) {
        continue;
      }
      int id = start.id();
      boolean ended = false;
      long until = System.nanoTime() + kit().bound().toNanos();
      for (int size = 10; !ended && System.nanoTime() < until; size++) {
        try {
          ptys.resize(id, new TerminalSize(20 + size % 100, 20));
          ended = ptys.list().stream().allMatch(p -> p.id() != id || p.exit().isPresent());
        } catch (SandboxException e) {
          throw new RuleViolation("S-PTY-11", "a resize threw " + e, e);
        }
      }
      ptys.resize(id, new TerminalSize(33, 44));
      PtyUpdate end = ptys.poll(id);
      Expect.same("S-PTY-11", 0, end.exitCode().orElse(-1), "exit code");
    }
  }

  /** Every end is told once. */
  @Test
  @Rule("S-PTY-12")
  default void S_PTY_12_onExitIsCalledOnceForEveryEnd() throws Exception {
    Ptys ptys = kit().ptys();
    List<PtyExit> told = new CopyOnWriteArrayList<>();
    PtyUpdate exits = ptys.start(kit().pty("exits", "echo up; sleep 1.5; exit 8"));
    int killed = kit().beat("killed");
    int swept = kit().beat("swept");
    int lost = kit().beat("lost");
    List<Integer> ids = new ArrayList<>(List.of(exits.id(), killed, swept, lost));
    for (int id : ids) {
      ptys.onExit(id, told::add);
    }
    ptys.terminate(killed);
    kit().launched("lost").dropConnection();
    kit().eventually("S-PTY-12", "three ends are told", () -> told.size() >= 3);
    Expect.code("S-PTY-12", ErrorCode.PTY_NOT_FOUND, () -> ptys.onExit(killed, exit -> {}));
    AtomicBoolean late = new AtomicBoolean();
    ptys.onExit(exits.id(), exit -> late.set(true));
    kit().eventually("S-PTY-12", "a late subscriber is told at once", late::get);
    ptys.terminateAll();
    kit().eventually("S-PTY-12", "four ends are told", () -> told.size() >= 4);
    kit().pass(Duration.ofMillis(200));
    Expect.same("S-PTY-12", 4, told.size(), "ends told");
    for (PtyExit exit : told) {
      Expect.that("S-PTY-12", ids.remove((Integer) exit.id()), "%d was told twice", exit.id());
      if (exit.id() == exits.id()) {
        Expect.same("S-PTY-12", PtyEndReason.EXITED, exit.reason(), "reason of an exit");
        Expect.same("S-PTY-12", new ExitStatus.Exited(8), exit.exit().orElseThrow(), "its status");
      } else {
        PtyEndReason expected = exit.id() == lost ? PtyEndReason.LOST : PtyEndReason.KILLED;
        Expect.same("S-PTY-12", expected, exit.reason(), "reason");
      }
    }
  }

  /** Many short ones leave nothing, collected or not. */
  @ResourceLock(KitAccess.MANY)
  @Test
  @Rule("S-CLEAN-12")
  @Scenario({"B70", "B72"})
  default void S_CLEAN_12_manyShortProcessesLeaveNothing() throws Exception {
    Ptys ptys = kit().ptys();
    for (int i = 0; i < 15; i++) {
      PtyUpdate update = ptys.start(kit().pty("a", "true").collect(TckKit.quick(LONG_POLL)));
      Expect.that("S-PTY-01", !update.running(), "true runs on");
      Expect.code(
          "S-EXEC-06",
          ErrorCode.COMMAND_NOT_FOUND,
          () -> ptys.start(io.sandboxspi.PtyRequest.of("/no/such/bin").withoutTerminal()));
      kit().session().start(kit().shell("b", "true")).await();
    }
    kit().ownsNothing("S-CLEAN-12");
  }
}
