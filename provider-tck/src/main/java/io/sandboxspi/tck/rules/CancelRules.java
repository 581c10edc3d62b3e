package io.sandboxspi.tck.rules;

import io.sandboxspi.CallScope;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import io.sandboxspi.tck.kit.Flavour;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** A caller that is cancelled while cleanup runs. */
public interface CancelRules extends KitAccess {
  private void beatAll(String... tags) throws Exception {
    for (String tag : tags) {
      int unused = kit().beat(tag);
    }
  }

  /** Cleanup settles first, then the caller gets its own cancellation. */
  @ParameterizedTest
  @EnumSource(Flavour.class)
  @Rule({"S-CANCEL-01", "S-CANCEL-02", "S-CLEAN-02"})
  @Scenario("R8")
  default void S_CANCEL_01_cleanupSettlesBeforeTheCallerLeaves(Flavour flavour) throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("p1").block();
    beatAll("p1", "p2", "p3");
    Duration shorter = kit().timings().kill().dividedBy(3);
    var ptys = kit().ptys();
    Caller<Boolean> sweep =
        kit()
            .call(
                flavour,
                shorter,
                () -> {
                  ptys.terminateAll();
                  return true;
                });
    Expect.that("S-CANCEL-01", gate.awaitReached(kit().slack()), "the kill begins");
    sweep.cancel();
    boolean left = sweep.awaitReturn(Duration.ofMillis(150));
    Expect.that("S-CANCEL-01", !left, "the caller left before cleanup settled");
    gate.open();
    sweep.returnsWithin("S-CANCEL-01", kit().bound()).cancelled("S-CANCEL-02");
    kit().dead("S-CANCEL-01", "p1", "p2", "p3");
    kit().ownsNothing("S-CANCEL-01");
    Expect.same("S-CLEAN-03", 1, kit().log().count(FaultPoint.KILL_BEFORE, "p1"), "kills of p1");
  }

  /** Settling is bounded, too. */
  @ParameterizedTest
  @EnumSource(Flavour.class)
  @Rule({"S-CANCEL-01", "S-CANCEL-02", "S-CANCEL-04", "S-CLEAN-07"})
  @Scenario({"R8", "R12"})
  default void S_CANCEL_01_settlingIsBoundedWhenTheKillHangs(Flavour flavour) throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("p1").stuck();
    beatAll("p1", "p2");
    SandboxSession session = kit().session();
    Caller<Boolean> stop =
        kit()
            .call(
                flavour,
                Duration.ofMillis(500),
                () -> {
                  session.stop();
                  return true;
                });
    Expect.that("S-CANCEL-01", gate.awaitReached(kit().slack()), "the kill begins");
    stop.cancel();
    Throwable thrown = stop.returnsWithin("S-CANCEL-01", kit().bound()).cancelled("S-CANCEL-02");
    Expect.that(
        "S-CANCEL-01",
        thrown.getSuppressed().length > 0,
        "the unproven kill is not suppressed under the cancellation");
    kit().dead("S-CANCEL-01", "p2");
    Expect.same("S-CLEAN-07", 1L, kit().ownedProcesses(), "retained");
    gate.open();
    kit().dead("S-CLEAN-07", "p1");
  }

  /** Five cancellations are one: the first. */
  @Test
  @Rule({"S-CANCEL-03", "S-CLEAN-03"})
  @Scenario("R10")
  default void S_CANCEL_03_cancelledAgainWhileSettling() throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("p1").stuck();
    beatAll("p1", "p2");
    Caller<Boolean> sweep = kit().terminateAll(Flavour.SCOPE);
    Expect.that("S-CANCEL-03", gate.awaitReached(kit().slack()), "the kill begins");
    sweep.cancel();
    kit().pass(Duration.ofMillis(100));
    for (int i = 0; i < 2; i++) {
      sweep.interrupt();
      kit().pass(Duration.ofMillis(60));
      sweep.cancelScope(new RuntimeException("another reason"));
      kit().pass(Duration.ofMillis(60));
    }
    Expect.that("S-CANCEL-03", !sweep.returned(), "the caller left before cleanup settled");
    gate.open();
    sweep.returnsWithin("S-CANCEL-03", kit().bound()).cancelled("S-CANCEL-03");
    kit().dead("S-CANCEL-03", "p1", "p2");
    Expect.same("S-CLEAN-03", 1, kit().log().count(FaultPoint.KILL_BEFORE, "p1"), "kills of p1");
    Expect.same("S-CLEAN-03", 1, kit().log().count(FaultPoint.KILL_BEFORE, "p2"), "kills of p2");
  }

  /** Whichever comes first, the caller sees its cancellation with the failure under it. */
  @ParameterizedTest
  @CsvSource({"SCOPE,true", "SCOPE,false", "INTERRUPT,true", "INTERRUPT,false", "DEADLINE,true"})
  @Rule({"S-CANCEL-04", "S-CANCEL-02", "S-CLEAN-07"})
  @Scenario("R12")
  default void S_CANCEL_04_cancellationOutranksFailure(Flavour flavour, boolean cancelFirst)
      throws Exception {
    Throwable failure = new IllegalStateException("the kill fails");
    Gate failing = Gate.interruptible();
    kit()
        .at(FaultPoint.KILL_BEFORE)
        .tag("p1")
        .run(
            () -> {
              if (cancelFirst) {
                failing.passKeepingInterrupt();
              }
              throw new IllegalStateException("the kill fails", failure);
            });
    Gate other = kit().at(FaultPoint.KILL_BEFORE).tag("p2").block();
    beatAll("p1", "p2");
    var ptys = kit().ptys();
    Caller<Boolean> sweep =
        kit()
            .call(
                flavour,
                Duration.ofMillis(600),
                () -> {
                  ptys.terminateAll();
                  return true;
                });
    try {
      Expect.that("S-CANCEL-04", other.awaitReached(kit().slack()), "the kills begin");
      Expect.that(
          "S-CANCEL-04",
          kit().log().await(FaultPoint.KILL_BEFORE, "p1", 1, kit().slack()),
          "both kills begin");
      sweep.cancel();
      kit().pass(Duration.ofMillis(100));
    } finally {
      failing.open();
    }
    other.open();
    Throwable thrown = sweep.returnsWithin("S-CANCEL-04", kit().bound()).cancelled("S-CANCEL-04");
    Expect.that(
        "S-CANCEL-04",
        Expect.carries(thrown, failure) && thrown.getSuppressed().length > 0,
        "the failure is not suppressed under the cancellation");
    kit().dead("S-CLEAN-04", "p2");
    Expect.same("S-CLEAN-07", 1L, kit().ownedProcesses(), "retained");
    kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound()).value("S-CLEAN-07");
    kit().dead("S-CLEAN-07", "p1");
  }

  /** A close that is interrupted still closes. */
  @Test
  @Rule({"S-CANCEL-01", "S-LIFE-03"})
  default void S_CANCEL_01_anInterruptDoesNotStopAClose() throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("p1").block();
    beatAll("p1", "p2");
    SandboxSession session = kit().session();
    boolean[] flag = new boolean[1];
    Caller<Boolean> close =
        kit()
            .run(
                () -> {
                  session.close();
                  flag[0] = Thread.currentThread().isInterrupted();
                });
    Expect.that("S-CANCEL-01", gate.awaitReached(kit().slack()), "the kill begins");
    close.interrupt();
    kit().pass(Duration.ofMillis(100));
    gate.open();
    close.returnsWithin("S-CANCEL-01", kit().closeBound()).value("S-CANCEL-01");
    Expect.that("S-CANCEL-01", flag[0], "the interrupt flag is set again");
    kit().dead("S-LIFE-03", "p1", "p2");
    kit().ownsNothing("S-LIFE-03");
  }

  /** Scopes nest: the outer reason wins for a wait, and a poll's process lives on. */
  @ParameterizedTest
  @EnumSource(Flavour.class)
  @Rule("S-CANCEL-02")
  default void S_CANCEL_02_aPollThatIsCancelledLeavesThePtyAlone(Flavour flavour) throws Exception {
    int id = kit().beat("a");
    var ptys = kit().ptys();
    Caller<Boolean> poll =
        kit()
            .run(
                flavour,
                () -> {
                  try (CallScope inner = CallScope.withDeadline(Duration.ofSeconds(60))) {
                    Object unused = ptys.poll(id, PtyRules.LONG_POLL);
                  }
                });
    kit().pass(Duration.ofMillis(300));
    poll.cancel();
    poll.returnsWithin("S-CANCEL-02", kit().bound()).cancelled("S-CANCEL-02");
    kit().alive("S-CANCEL-02", "a");
    Expect.same("S-CANCEL-02", List.of(id), ptys.list().stream().map(p -> p.id()).toList(), "ids");
  }
}
