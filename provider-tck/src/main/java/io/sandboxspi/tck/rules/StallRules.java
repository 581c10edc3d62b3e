package io.sandboxspi.tck.rules;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Stdin;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.CallLog;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.Flavour;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A backend that never answers. Gates open after the assertions only. */
public interface StallRules extends KitAccess {
  private Expect.Work sweep(String how) throws InterruptedException {
    SandboxSession session = kit().session();
    return switch (how) {
      case "terminateAll" -> session.ptys()::terminateAll;
      case "stop" -> session::stop;
      case "shutdown" -> session::shutdown;
      default -> session::close;
    };
  }

  /** One of three hangs. */
  @ParameterizedTest
  @ValueSource(strings = {"terminateAll", "stop", "shutdown", "close"})
  @Rule({"S-CLEAN-05", "S-CLEAN-06", "S-CLEAN-07", "S-CLEAN-04"})
  @Scenario("R9")
  default void S_CLEAN_05_aKillThatNeverReturnsIsBounded(String how) throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("p2").stuck();
    // What destroys the backend would prove the end: here it does not.
    for (String tag : List.of("p1", "p2", "p3")) {
      int unused = kit().beat(tag);
    }
    boolean ending = how.equals("shutdown") || how.equals("close");
    if (ending) {
      kit().at(FaultPoint.BACKEND_RELEASE_BEFORE).answer(io.sandboxspi.spi.ReleaseOutcome.DONE);
    }
    if (how.equals("close")) {
      kit().at(FaultPoint.DELETE_BEFORE).answer(io.sandboxspi.spi.ReleaseOutcome.DONE);
    }
    Caller<Boolean> call = kit().run(sweep(how));
    Throwable thrown =
        call.returnsWithin("S-CLEAN-05", ending ? kit().closeBound() : kit().bound())
            .failed("S-CLEAN-07");
    SandboxException seen = Expect.code("S-CLEAN-07", ErrorCode.TERMINATION_UNCONFIRMED, thrown);
    Expect.that("S-CLEAN-05", gate.waiting() == 1, "the kill still hangs: %s", seen);
    kit().dead("S-CLEAN-04", "p1", "p3");
    Expect.that(
        "S-CLEAN-06",
        kit().log().count(FaultPoint.RELEASE_BEFORE, "p2") > 0,
        "local resources are not released while the kill hangs");
    Expect.same("S-CLEAN-07", 1L, kit().ownedProcesses(), "retained");
    kit().alive("S-CLEAN-05", "p2");
    gate.open();
    kit().dead("S-CLEAN-07", "p2");
    kit().eventually("S-CLEAN-07", "a late end counts", () -> kit().ownedProcesses() == 0);
  }

  /** Five that hang take as long as one. */
  @Test
  @Rule("S-CLEAN-05")
  @Scenario("R9")
  default void S_CLEAN_05_aBatchTakesItsLongestEntry() throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).always().stuck();
    int many = 12;
    for (int i = 0; i < many; i++) {
      Object unused = kit().ptys().start(kit().pty("p" + i, "echo up; exec sleep 60"));
    }
    Caller<Boolean> sweep = kit().terminateAll();
    Throwable unused = sweep.returnsWithin("S-CLEAN-05", kit().bound()).failed("S-CLEAN-07");
    Expect.same("S-CLEAN-05", many, gate.waiting(), "kills under way at once");
    gate.open();
    kit().ownsNothing("S-CLEAN-07");
  }

  /** An outer deadline is honoured, a shorter one and a longer one. */
  @ParameterizedTest
  @ValueSource(longs = {400, 15_000})
  @Rule({"S-CLEAN-05", "S-CANCEL-04"})
  @Scenario("R9")
  default void S_CLEAN_05_anOuterDeadlineIsHonoured(long millis) throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("a").stuck();
    int unused = kit().beat("a");
    Expect.Work sweep = sweep("terminateAll");
    Caller<Boolean> call =
        kit()
            .call(
                Flavour.DEADLINE,
                Duration.ofMillis(millis),
                () -> {
                  sweep.run();
                  return true;
                });
    call.returnsWithin("S-CLEAN-05", kit().bound());
    if (millis < 1000) {
      Throwable cancelled = call.cancelled("S-CANCEL-04");
      Expect.that("S-CANCEL-04", cancelled.getMessage() != null, "it says which deadline");
    } else {
      Expect.code("S-CANCEL-04", ErrorCode.TERMINATION_UNCONFIRMED, call.failed("S-CLEAN-07"));
    }
    gate.open();
    kit().dead("S-CLEAN-07", "a");
    kit().ownsNothing("S-CLEAN-07");
  }

  /** Stuck work elsewhere does not keep cleanup from its threads. */
  @Test
  @Rule("S-CLEAN-02")
  @Scenario("R26")
  default void S_CLEAN_02_stuckWritesDoNotStarveCleanup() throws Exception {
    kit().need(Capability.STDIN_AFTER_START);
    Gate gate = kit().at(FaultPoint.SEND_BEFORE).always().stuck();
    SandboxSession session = kit().session();
    int many = 16;
    List<Caller<Boolean>> writers = new ArrayList<>();
    for (int i = 0; i < many; i++) {
      RunningCommand command = session.start(kit().shell("w" + i, "cat").stdin(Stdin.pipe()));
      writers.add(
          kit()
              .run(
                  () -> {
                    command.stdin().write(new byte[] {'x', '\n'});
                    command.stdin().flush();
                  }));
    }
    kit().eventually("S-CLEAN-02", "all writes are stuck", () -> gate.waiting() == many);
    int unused = kit().beat("a");
    Caller<Boolean> sweep = kit().terminateAll();
    sweep.returnsWithin("S-CLEAN-02", kit().bound()).value("S-CLEAN-02");
    kit().dead("S-CLEAN-02", "a", "w0", "w15");
    gate.open();
    for (Caller<Boolean> writer : writers) {
      writer.returnsWithin("S-EXEC-09", kit().bound());
    }
    kit().ownsNothing("S-CLEAN-02");
  }

  /** Kills do not run on the caller's thread. */
  @Test
  @Rule("S-CLEAN-02")
  default void S_CLEAN_02_cleanupRunsOnThreadsOfTheSession() throws Exception {
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    unused = kit().beat("b");
    Caller<Boolean> sweep = kit().terminateAll();
    sweep.returnsWithin("S-CLEAN-02", kit().bound()).value("S-CLEAN-02");
    for (CallLog.Call call : kit().log().calls()) {
      if (call.point() == FaultPoint.KILL_BEFORE || call.point() == FaultPoint.RELEASE_BEFORE) {
        Expect.that(
            "S-CLEAN-02",
            call.thread().startsWith("sandbox-" + session.id()),
            "%s ran on %s",
            call.point(),
            call.thread());
      }
    }
  }

  /** Whatever ends a process, the one helper does it: a kill and one release on its threads. */
  @Test
  @Rule({"S-CLEAN-01", "S-CLEAN-02"})
  default void S_CLEAN_02_everyEndGoesThroughTheOneHelper() throws Exception {
    SandboxSession session = kit().session();
    Ptys ptys = session.ptys();
    Object unused = session.exec(kit().shell("code", "exit 3"));
    Command endless = kit().shell("timeout", kit().beating("timeout"));
    unused =
        Expect.code(
            "S-EXEC-04",
            ErrorCode.EXEC_TIMEOUT,
            () -> session.exec(endless.timeout(Duration.ofMillis(400))));
    kit().beatCommand("closed").close();
    PtyUpdate update = ptys.start(kit().pty("itself", "echo up; exit 4"));
    while (update.running()) {
      update = ptys.poll(update.id());
    }
    unused = ptys.terminate(kit().beat("terminated"));
    unused = kit().beat("swept");
    kit().terminateAll().returnsWithin("S-CLEAN-02", kit().bound()).value("S-CLEAN-02");
    unused = kit().beat("last");
    kit().run(session::close).returnsWithin("S-LIFE-01", kit().closeBound()).value("S-LIFE-01");
    for (String tag :
        List.of("code", "timeout", "closed", "itself", "terminated", "swept", "last")) {
      Expect.same(
          "S-CLEAN-01", 1, kit().log().count(FaultPoint.RELEASE_BEFORE, tag), "releases of " + tag);
      Expect.that(
          "S-CLEAN-01", kit().log().count(FaultPoint.KILL_BEFORE, tag) > 0, "no kill of %s", tag);
    }
    for (CallLog.Call call : kit().log().calls()) {
      if (call.point() == FaultPoint.KILL_BEFORE || call.point() == FaultPoint.RELEASE_BEFORE) {
        Expect.that(
            "S-CLEAN-02",
            call.thread().startsWith("sandbox-" + session.id() + "-cleanup"),
            "%s of %s ran on %s",
            call.point(),
            call.tag(),
            call.thread());
      }
    }
  }

  /** Local resources that do not go: bounded, once, and gone in the end. */
  @ParameterizedTest
  @CsvSource({"RELEASE_BEFORE", "OUT_CHUNK"})
  @Rule({"S-CLEAN-05", "S-CLEAN-06"})
  @Scenario({"R27", "B73"})
  default void S_CLEAN_06_localResourcesThatWillNotGoAreBounded(FaultPoint point) throws Exception {
    Gate gate = kit().at(point).tag("a").nth(point == FaultPoint.OUT_CHUNK ? 2 : 1).stuck();
    Ptys ptys = kit().ptys();
    PtyUpdate start =
        ptys.start(kit().pty("a", "echo up; sleep 0.5; echo more; " + kit().beating("a")));
    kit().awaitBeat("a");
    if (point == FaultPoint.OUT_CHUNK) {
      Expect.that("S-CLEAN-06", gate.awaitReached(kit().slack()), "the reader is stuck");
    }
    Caller<PtyUpdate> terminate = kit().call(() -> ptys.terminate(start.id()));
    terminate.returnsWithin("S-CLEAN-05", kit().bound().plus(kit().drainBound()));
    kit().dead("S-CLEAN-06", "a");
    if (point == FaultPoint.RELEASE_BEFORE) {
      Expect.that("S-CLEAN-06", gate.awaitReached(kit().slack()), "the release is stuck");
      kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound());
      Expect.same(
          "S-CLEAN-06",
          1,
          kit().log().count(FaultPoint.RELEASE_BEFORE, "a"),
          "releases begun while the first is stuck");
    }
    gate.open();
    kit().ownsNothing("S-CLEAN-06");
  }

  /** A kill that comes after its bound hits what it was meant for and nobody else. */
  @Test
  @Rule({"S-CLEAN-10", "S-CLEAN-07"})
  @Scenario("R29")
  default void S_CLEAN_10_aLateKillHitsNoStranger() throws Exception {
    Gate gate =
        kit().at(FaultPoint.KILL_BEFORE).tag("a").late(kit().timings().kill().multipliedBy(3));
    int first = kit().beat("a");
    Throwable unused =
        kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound()).failed("S-CLEAN-07");
    Expect.that("S-CLEAN-10", gate.awaitReached(kit().slack()), "the kill is under way");
    int second = kit().beat("b");
    Expect.that("S-CLEAN-10", first != second, "the id was given again");
    kit().dead("S-CLEAN-10", "a");
    kit().alive("S-CLEAN-10", "b");
    kit()
        .eventually(
            "S-CLEAN-07", "an end that comes late counts", () -> kit().ownedProcesses() == 1);
    Expect.that(
        "S-CLEAN-10", !kit().ptys().terminate(second).running(), "the stranger can be ended");
  }
}
