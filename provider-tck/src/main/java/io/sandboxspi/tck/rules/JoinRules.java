package io.sandboxspi.tck.rules;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.session.HookPoint;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Two cleanups at the same time, and starts that race a closing step. */
public interface JoinRules extends KitAccess {
  private static Expect.Work call(SandboxSession session, String how) {
    return switch (how) {
      case "terminateAll" -> session.ptys()::terminateAll;
      case "stop" -> session::stop;
      case "shutdown" -> session::shutdown;
      default -> session::close;
    };
  }

  /** The second joins the first and sees what it sees. */
  @ParameterizedTest
  @CsvSource({
    "terminateAll,terminateAll,true",
    "terminateAll,terminateAll,false",
    "stop,shutdown,true",
    "stop,stop,false",
    "close,close,true",
    "terminateAll,close,true",
  })
  @Rule({"S-CLEAN-03", "S-LIFE-04"})
  @Scenario("R15")
  default void S_CLEAN_03_aSecondCleanupJoinsTheFirst(String one, String two, boolean works)
      throws Exception {
    String rule = one.equals("terminateAll") ? "S-CLEAN-03" : "S-LIFE-04";
    IllegalStateException failure = new IllegalStateException("the kill fails");
    Gate gate = Gate.interruptible();
    kit()
        .at(FaultPoint.KILL_BEFORE)
        .tag("a")
        .run(
            () -> {
              gate.passKeepingInterrupt();
              if (!works) {
                throw failure;
              }
            });
    int unused = kit().beat("a");
    SandboxSession session = kit().session();
    Caller<Boolean> first = kit().run(call(session, one));
    Caller<Boolean> second;
    try {
      Expect.that(rule, gate.awaitReached(kit().slack()), "the kill begins");
      second = kit().run(call(session, two));
      boolean early = second.awaitReturn(Duration.ofMillis(400));
      Expect.that(rule, !early, "the second returned before the first was done");
    } finally {
      gate.open();
    }
    first.returnsWithin("S-CLEAN-05", kit().closeBound());
    second.returnsWithin("S-CLEAN-05", kit().closeBound());
    if (works) {
      Expect.that(rule, first.value(rule) && second.value(rule), "both succeed");
      kit().dead(rule, "a");
      kit().ownsNothing(rule);
    } else {
      for (Caller<Boolean> each : java.util.List.of(first, second)) {
        Throwable thrown = each.failed(rule);
        Expect.that(rule, Expect.carries(thrown, failure), "one of them threw %s", thrown);
      }
    }
    Expect.same("S-CLEAN-03", 1, kit().log().count(FaultPoint.KILL_BEFORE, "a"), "kills");
    Expect.that(
        "S-LIFE-04", kit().log().count(FaultPoint.DELETE_BEFORE) <= 1, "deleted more than once");
  }

  /** The caller that sees an exit and a sweep are one cleanup. */
  @Test
  @Rule("S-CLEAN-03")
  @Scenario("R15")
  default void S_CLEAN_03_aFinalUpdateAndASweepAreOneCleanup() throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("a").block();
    Ptys ptys = kit().ptys();
    PtyUpdate start = ptys.start(kit().pty("a", "echo up; sleep 1.2; exit 3"));
    Caller<PtyUpdate> poll = kit().call(() -> ptys.poll(start.id(), PtyRules.LONG_POLL));
    Expect.that("S-CLEAN-03", gate.awaitReached(kit().bound()), "the end is cleaned up");
    Caller<Boolean> sweep = kit().terminateAll();
    boolean early = sweep.awaitReturn(Duration.ofMillis(400));
    Expect.that("S-CLEAN-03", !early, "the sweep returned before the cleanup was done");
    gate.open();
    sweep.returnsWithin("S-CLEAN-05", kit().bound()).value("S-CLEAN-03");
    poll.returnsWithin("S-CLEAN-05", kit().bound());
    if (poll.failure().isPresent()) {
      Expect.code("S-CLEAN-03", ErrorCode.PTY_NOT_FOUND, poll.failure().get());
    } else {
      Expect.same("S-CLEAN-03", 3, poll.value("S-CLEAN-03").exitCode().orElse(-1), "exit code");
    }
    Expect.same("S-CLEAN-03", 1, kit().log().count(FaultPoint.KILL_BEFORE, "a"), "kills");
    kit().ownsNothing("S-CLEAN-03");
  }

  /** A start that has launched when a closing step begins does not survive it. */
  @ParameterizedTest
  @ValueSource(strings = {"terminateAll", "stop", "shutdown"})
  @Rule("S-LIFE-06")
  @Scenario("R13")
  default void S_LIFE_06_aStartBeforeItsRegistrationDoesNotSurvive(String how) throws Exception {
    Gate gate = kit().gates().block(HookPoint.REG_BEFORE_INSERT);
    SandboxSession session = kit().session();
    Caller<PtyUpdate> start =
        kit().call(() -> session.ptys().start(kit().pty("a", "echo up; " + kit().beating("a"))));
    Expect.that("S-LIFE-06", gate.awaitReached(kit().slack()), "the start has launched");
    kit().awaitBeat("a");
    Caller<Boolean> closing = kit().run(call(session, how));
    closing.awaitReturn(kit().bound());
    gate.open();
    start.returnsWithin("S-LIFE-06", kit().bound());
    closing.returnsWithin("S-LIFE-06", kit().closeBound());
    if (start.failure().isPresent()) {
      Throwable thrown = start.failure().get();
      boolean typed = thrown instanceof SandboxException;
      Expect.that("S-LIFE-06", typed, "the start failed with %s", thrown);
    } else {
      Expect.that("S-LIFE-06", !start.value("S-LIFE-06").running(), "a live id of a dead PTY");
    }
    kit().dead("S-LIFE-06", "a");
    if (session.state() == SessionState.ACTIVE) {
      Expect.that("S-LIFE-06", session.ptys().list().isEmpty(), "it is still listed");
    }
    kit().eventually("S-LIFE-06", "nothing is owned", () -> kit().ownedProcesses() == 0);
  }

  /** One that begins while a closing step is under way is refused, or included. */
  @ParameterizedTest
  @ValueSource(strings = {"stop", "shutdown"})
  @Rule("S-LIFE-06")
  @Scenario("R13")
  default void S_LIFE_06_aStartDuringAClosingStepDoesNotSurvive(String how) throws Exception {
    int unused = kit().beat("old");
    Gate gate = kit().gates().block(HookPoint.REG_AFTER_DETACH);
    SandboxSession session = kit().session();
    Caller<Boolean> closing = kit().run(call(session, how));
    Expect.that("S-LIFE-06", gate.awaitReached(kit().slack()), "the step has begun");
    Caller<PtyUpdate> start =
        kit()
            .call(() -> session.ptys().start(kit().pty("new", "echo up; " + kit().beating("new"))));
    start.awaitReturn(Duration.ofSeconds(1));
    gate.open();
    start.returnsWithin("S-LIFE-06", kit().bound());
    closing.returnsWithin("S-LIFE-06", kit().closeBound()).value("S-LIFE-06");
    if (start.failure().isPresent()) {
      Expect.code("S-LIFE-06", ErrorCode.SESSION_CLOSED, start.failure().get());
    }
    kit().dead("S-LIFE-06", "old", "new");
    kit().eventually("S-LIFE-06", "nothing is owned", () -> kit().ownedProcesses() == 0);
  }
}
