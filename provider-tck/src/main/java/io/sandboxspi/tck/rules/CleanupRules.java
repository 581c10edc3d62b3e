package io.sandboxspi.tck.rules;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SessionState;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Failures of cleanup: everyone is attempted, the first counts, nobody is forgotten. */
public interface CleanupRules extends KitAccess {
  /** Failures of several kinds, one for each place. */
  private static Throwable failure(int place) {
    return switch (place % 4) {
      case 0 -> SandboxException.of(ErrorCode.TRANSPORT, Operation.PTY_TERMINATE, "no connection");
      case 1 -> new IllegalStateException("a provider's bug");
      case 2 ->
          SandboxException.of(
              ErrorCode.TERMINATION_UNCONFIRMED, Operation.PTY_TERMINATE, "permission denied");
      default -> new LinkageError("not even an exception");
    };
  }

  /** One, or all, of five fail. */
  @ParameterizedTest
  @ValueSource(strings = {"1", "3", "5", "12345"})
  @Rule({"S-CLEAN-04", "S-CLEAN-06", "S-CLEAN-07", "S-CANCEL-04"})
  @Scenario("R7")
  default void S_CLEAN_04_oneFailureStopsNobody(String failing) throws Exception {
    Map<String, Throwable> failures = new TreeMap<>();
    for (char place : failing.toCharArray()) {
      Throwable failure = failure(place + failing.length());
      failures.put("p" + place, failure);
      kit().at(FaultPoint.KILL_BEFORE).tag("p" + place).fail(() -> failure);
    }
    List<String> tags = List.of("p1", "p2", "p3", "p4", "p5");
    List<Integer> ids = new ArrayList<>();
    for (String tag : tags) {
      ids.add(kit().beat(tag));
    }
    Caller<Boolean> sweep = kit().terminateAll();
    Throwable thrown = sweep.returnsWithin("S-CLEAN-05", kit().bound()).failed("S-CLEAN-04");
    for (String tag : tags) {
      Expect.same(
          "S-CLEAN-04", 1, kit().log().count(FaultPoint.KILL_BEFORE, tag), "kills of " + tag);
      Expect.that(
          "S-CLEAN-06",
          kit().log().count(FaultPoint.RELEASE_BEFORE, tag) > 0,
          "local resources of %s are not released",
          tag);
      if (!failures.containsKey(tag)) {
        kit().dead("S-CLEAN-04", tag);
      }
    }
    List<Throwable> inOrder = new ArrayList<>(failures.values());
    Throwable first = inOrder.get(0);
    Expect.that(
        "S-CANCEL-04",
        thrown == first || thrown.getCause() == first,
        "the first failure in order is %s, but %s was thrown",
        first,
        thrown);
    for (Throwable failure : inOrder) {
      Expect.that("S-CLEAN-04", Expect.carries(thrown, failure), "%s is not reported", failure);
    }
    Expect.same("S-CLEAN-07", (long) failures.size(), kit().ownedProcesses(), "retained");
    for (String tag : failures.keySet()) {
      kit().alive("S-CLEAN-04", tag);
    }
    Ptys ptys = kit().ptys();
    for (int id : ids) {
      Expect.code("S-PTY-04", ErrorCode.PTY_NOT_FOUND, () -> ptys.poll(id));
    }
    Caller<Boolean> again = kit().terminateAll();
    again.returnsWithin("S-CLEAN-05", kit().bound()).value("S-CLEAN-07");
    kit().dead("S-CLEAN-07", failures.keySet().toArray(String[]::new));
    kit().ownsNothing("S-CLEAN-07");
  }

  /** No success while it lives; the third try that works clears it. */
  @Test
  @Rule({"S-CLEAN-07", "S-REG-04", "S-LIFE-04"})
  @Scenario("R16")
  default void S_CLEAN_07_whatIsNotProvenIsRetainedAndRetried() throws Exception {
    Throwable failure = failure(0);
    kit().at(FaultPoint.KILL_BEFORE).tag("a").times(2).fail(() -> failure);
    Ptys ptys = kit().ptys();
    int id = kit().beat("a");
    for (int i = 0; i < 2; i++) {
      Throwable thrown =
          kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound()).failed("S-CLEAN-07");
      Expect.that("S-CLEAN-07", Expect.carries(thrown, failure), "try %d threw %s", i, thrown);
      Expect.same("S-CLEAN-07", 1L, kit().ownedProcesses(), "retained processes");
      Expect.that(
          "S-REG-04",
          kit().owned().stream()
              .anyMatch(r -> r.kind().equals("PTY_ID") && r.id().equals(String.valueOf(id))),
          "the id is not reserved: %s",
          kit().owned());
      Expect.code("S-CLEAN-07", ErrorCode.PTY_NOT_FOUND, () -> ptys.poll(id));
      kit().alive("S-CLEAN-07", "a");
    }
    kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound()).value("S-CLEAN-07");
    kit().dead("S-CLEAN-07", "a");
    kit().ownsNothing("S-CLEAN-07");
  }

  /** A backend that tells of exits is not believed when it says ended and tells of none. */
  @Test
  @Rule("S-CLEAN-07")
  @Scenario("R16")
  default void S_CLEAN_07_aKillThatLiesIsNotBelieved() throws Exception {
    kit().need(Capability.EXIT_CODE_RELIABLE);
    kit().at(FaultPoint.KILL_BEFORE).tag("a").lie();
    int unused = kit().beat("a");
    Throwable thrown =
        kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound()).failed("S-CLEAN-07");
    Expect.code("S-CLEAN-07", ErrorCode.TERMINATION_UNCONFIRMED, thrown);
    Expect.same("S-CLEAN-07", 1L, kit().ownedProcesses(), "retained processes");
    kit().alive("S-CLEAN-07", "a");
    Caller<Boolean> again = kit().terminateAll();
    again.returnsWithin("S-CLEAN-05", kit().bound());
    kit().dead("S-CLEAN-07", "a");
    kit().ownsNothing("S-CLEAN-07");
  }

  /** The same by stop, which then is a stop. */
  @Test
  @Rule({"S-LIFE-04", "S-CLEAN-07", "S-LIFE-02"})
  @Scenario("R16")
  default void S_LIFE_04_aFailedStopCanBeCalledAgain() throws Exception {
    kit().at(FaultPoint.KILL_BEFORE).tag("a").times(2).fail(() -> failure(1));
    SandboxSession session = kit().session();
    int id = kit().beat("a");
    for (int i = 0; i < 2; i++) {
      Throwable unused =
          kit().run(session::stop).returnsWithin("S-CLEAN-05", kit().bound()).failed("S-CLEAN-07");
      kit().alive("S-CLEAN-07", "a");
    }
    kit().run(session::stop).returnsWithin("S-CLEAN-05", kit().bound()).value("S-LIFE-04");
    kit().dead("S-CLEAN-07", "a");
    Expect.same("S-LIFE-02", SessionState.ACTIVE, session.state(), "state after the stop");
    Expect.code("S-LIFE-02", ErrorCode.PTY_NOT_FOUND, () -> session.ptys().poll(id));
    int next = kit().beat("b");
    Expect.that("S-LIFE-02", !session.ptys().terminate(next).running(), "it works again");
  }

  /** A kill that failed once is tried again by close, which goes through. */
  @Test
  @Rule({"S-LIFE-03", "S-LIFE-04", "S-CLEAN-07"})
  @Scenario("R28")
  default void S_LIFE_03_closeGoesOnAfterAFailedKill() throws Exception {
    Throwable failure = failure(0);
    kit().at(FaultPoint.KILL_BEFORE).tag("a").fail(() -> failure);
    kit().at(FaultPoint.BACKEND_RELEASE_BEFORE).answer(ReleaseOutcome.DONE);
    kit().at(FaultPoint.DELETE_BEFORE).answer(ReleaseOutcome.DONE);
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    Throwable thrown =
        kit()
            .run(session::close)
            .returnsWithin("S-CLEAN-05", kit().closeBound())
            .failed("S-CLEAN-07");
    Expect.that("S-LIFE-03", Expect.carries(thrown, failure), "close threw %s", thrown);
    Expect.that(
        "S-LIFE-03",
        kit().log().count(FaultPoint.BACKEND_RELEASE_BEFORE) > 0,
        "the backend's release was not attempted");
    Expect.same("S-CLEAN-07", 1L, kit().ownedProcesses(), "retained processes");
    kit().alive("S-CLEAN-07", "a");
    kit().run(session::close).returnsWithin("S-CLEAN-05", kit().closeBound()).value("S-LIFE-04");
    kit().dead("S-CLEAN-07", "a");
    Expect.same("S-LIFE-03", SessionState.CLOSED, session.state(), "state after the close");
    Expect.that("S-LIFE-03", kit().log().count(FaultPoint.DELETE_BEFORE) > 0, "it was not deleted");
    kit().ownsNothing("S-LIFE-03");
  }

  /** A backend that is destroyed takes its processes along: nothing is retained. */
  @Test
  @Rule({"S-CLEAN-08", "S-LIFE-03"})
  @Scenario("R28")
  default void S_CLEAN_08_destroyingTheBackendProvesAllEnded() throws Exception {
    kit().at(FaultPoint.KILL_BEFORE).tag("a").always().fail(() -> failure(1));
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("b").stuck();
    kit().at(FaultPoint.BACKEND_RELEASE_BEFORE).answer(ReleaseOutcome.DESTROYED);
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    unused = kit().beat("b");
    Caller<Boolean> close = kit().run(session::close);
    close.returnsWithin("S-CLEAN-05", kit().closeBound());
    Expect.that("S-CLEAN-08", gate.awaitReached(kit().slack()), "the kills were tried");
    Expect.that(
        "S-LIFE-03",
        kit().log().count(FaultPoint.BACKEND_RELEASE_BEFORE) > 0,
        "the backend's release was not attempted");
    gate.open();
    kit().eventually("S-CLEAN-08", "nothing is retained", () -> kit().ownedProcesses() == 0);
    // The real backend was not asked: what it still runs is the kit's to end.
    kit().endFaults();
    kit().reapBehindTheEngine();
  }

  /** Release and deletion are attempted, in this order, whatever fails. */
  @Test
  @Rule("S-LIFE-03")
  default void S_LIFE_03_eachStepOfACloseIsAttemptedInOrder() throws Exception {
    Throwable failure = failure(0);
    kit().at(FaultPoint.BACKEND_RELEASE_BEFORE).fail(() -> failure);
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    Throwable thrown =
        kit()
            .run(session::close)
            .returnsWithin("S-CLEAN-05", kit().closeBound())
            .failed("S-LIFE-03");
    Expect.that("S-LIFE-03", Expect.carries(thrown, failure), "close threw %s", thrown);
    int kill = order(FaultPoint.KILL_BEFORE, "a");
    int release = order(FaultPoint.BACKEND_RELEASE_BEFORE, "");
    Expect.that("S-LIFE-03", kill > 0 && kill < release, "kill %d, release %d", kill, release);
    kit().dead("S-LIFE-03", "a");
    kit().run(session::close).returnsWithin("S-CLEAN-05", kit().closeBound()).value("S-LIFE-04");
    int delete = order(FaultPoint.DELETE_BEFORE, "");
    Expect.that("S-LIFE-03", delete > release, "release %d, delete %d", release, delete);
    Expect.same("S-LIFE-03", SessionState.CLOSED, session.state(), "state");
    // A close too many does nothing.
    int calls = kit().log().size();
    session.close();
    Expect.same("S-LIFE-03", calls, kit().log().size(), "calls after a close too many");
  }

  private int order(FaultPoint point, String tag) {
    return kit().log().last(point, tag).map(call -> call.order()).orElse(-1);
  }
}
