package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Stdin;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.session.HookPoint;
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
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

/** Starts that fail, come late or are cancelled. */
public interface StartRules extends KitAccess {
  private PtyRequest beating(String tag) {
    return kit().pty(tag, "echo up; " + kit().beating(tag));
  }

  private static SandboxException transport() {
    return SandboxException.builder(
            ErrorCode.TRANSPORT, Operation.PTY_START, "the connection broke")
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  /** Before anything was launched. */
  @ParameterizedTest
  @EnumSource(Flavour.class)
  @Rule({"S-CANCEL-05", "S-CANCEL-02"})
  @Scenario("R1")
  default void S_CANCEL_05_cancelledWhileOpening(Flavour flavour) throws Exception {
    Gate gate = kit().at(FaultPoint.OPEN_BEFORE).tag("a").block();
    Ptys ptys = kit().ptys();
    Caller<PtyUpdate> start = kit().call(flavour, () -> ptys.start(beating("a")));
    Expect.that("S-CANCEL-05", gate.awaitReached(kit().slack()), "the launch begins");
    start.cancel();
    start.returnsWithin("S-CANCEL-05", kit().bound()).cancelled("S-CANCEL-02");
    Expect.that("S-CANCEL-05", ptys.list().isEmpty(), "an id was published");
    kit().ownsNothing("S-CANCEL-05");
    gate.open();
    Expect.that("S-CANCEL-05", kit().provider().launch("a").isEmpty(), "it was launched");
    Expect.that("S-CANCEL-05", ptys.start(beating("b")).running(), "a later start works");
  }

  /** After the backend has launched, before the engine has the handle. */
  @ParameterizedTest
  @CsvSource({
    "SCOPE,false",
    "INTERRUPT,false",
    "DEADLINE,false",
    "SCOPE,true",
    "INTERRUPT,true",
    "DEADLINE,true"
  })
  @Rule({"S-CANCEL-05", "S-CLEAN-11", "S-CANCEL-02", "S-CLEAN-01"})
  @Scenario({"R2", "R4"})
  default void S_CLEAN_11_aHandleThatComesAfterTheCallerLeft(Flavour flavour, boolean stuck)
      throws Exception {
    Gate gate =
        stuck
            ? kit().at(FaultPoint.OPEN_RETURN).tag("a").stuck()
            : kit().at(FaultPoint.OPEN_RETURN).tag("a").block();
    Ptys ptys = kit().ptys();
    Caller<PtyUpdate> start = kit().call(flavour, () -> ptys.start(beating("a")));
    Expect.that("S-CLEAN-11", gate.awaitReached(kit().slack()), "the launch begins");
    kit().awaitBeat("a");
    start.cancel();
    start.returnsWithin("S-CANCEL-05", kit().bound()).cancelled("S-CANCEL-02");
    Expect.that("S-CANCEL-05", ptys.list().isEmpty(), "an id was published");
    // Its id is enough to end it: the handle has not come yet.
    kit().dead("S-CLEAN-11", "a");
    gate.open();
    kit().ownsNothing("S-CLEAN-11");
    Expect.that("S-CLEAN-11", ptys.list().isEmpty(), "the late handle got an id");
    if (stuck) {
      kit()
          .eventually(
              "S-CLEAN-11",
              "the late handle is released",
              () -> kit().log().count(FaultPoint.RELEASE_BEFORE, "a") > 0);
    }
  }

  /** The same when it is the open timeout that passes, for commands too. */
  @Test
  @Rule({"S-CLEAN-11", "S-PTY-02"})
  @Scenario("R4")
  default void S_CLEAN_11_aHandleThatComesAfterTheOpenTimeout() throws Exception {
    Gate first = kit().at(FaultPoint.OPEN_RETURN).tag("a").stuck();
    Gate second = kit().at(FaultPoint.OPEN_RETURN).tag("b").stuck();
    SandboxSession session = kit().session();
    Duration limit = Duration.ofMillis(800);
    Caller<PtyUpdate> start =
        kit().call(() -> session.ptys().start(beating("a").openTimeout(limit)));
    Caller<ExecResult> exec =
        kit().call(() -> session.exec(kit().shell("b", kit().beating("b")).openTimeout(limit)));
    for (Caller<?> caller : java.util.List.of(start, exec)) {
      Throwable thrown =
          caller.returnsWithin("S-PTY-02", kit().bound().plus(limit)).failed("S-PTY-02");
      SandboxException timeout = Expect.code("S-PTY-02", ErrorCode.OPEN_TIMEOUT, thrown);
      Expect.that(
          "S-ERR-02", timeout.retryable() != Retryable.YES, "it may have run: not retryable");
    }
    kit().dead("S-CLEAN-11", "a", "b");
    first.open();
    second.open();
    kit().ownsNothing("S-CLEAN-11");
    Expect.that("S-CLEAN-11", session.ptys().list().isEmpty(), "a late handle got an id");
  }

  /** A failure after the process was made is not safe to retry, and the process is ended. */
  @Test
  @Rule({"S-ERR-02", "S-CLEAN-11", "S-CLEAN-01"})
  @Scenario("R3")
  default void S_ERR_02_aFailureAfterTheLaunchIsNotRetryable() throws Exception {
    SandboxException broken = transport();
    kit().at(FaultPoint.OPEN_AFTER_BACKEND).tag("a").fail(() -> broken);
    kit().at(FaultPoint.OPEN_AFTER_BACKEND).tag("b").fail(() -> new IllegalStateException("bug"));
    SandboxSession session = kit().session();
    Caller<PtyUpdate> start = kit().call(() -> session.ptys().start(beating("a")));
    Throwable first = start.returnsWithin("S-CLEAN-11", kit().bound()).failed("S-ERR-02");
    SandboxException seen = Expect.code("S-ERR-02", ErrorCode.TRANSPORT, first);
    Expect.that("S-ERR-02", seen.retryable() != Retryable.YES, "it may have run");
    kit().dead("S-CLEAN-11", "a");
    Caller<ExecResult> exec = kit().call(() -> session.exec(kit().shell("b", kit().beating("b"))));
    Throwable second = exec.returnsWithin("S-CLEAN-11", kit().bound()).failed("S-ERR-02");
    Expect.that(
        "S-ERR-01",
        second instanceof SandboxException,
        "a provider's bug reaches the caller raw: %s",
        second);
    Expect.that(
        "S-ERR-02",
        ((SandboxException) second).retryable() != Retryable.YES,
        "it may have run: not retryable");
    kit().dead("S-CLEAN-11", "b");
    kit().ownsNothing("S-CLEAN-11");
    Expect.same("S-ERR-02", 1, kit().log().count(FaultPoint.OPEN_BEFORE, "a"), "launches of a");
    Expect.same("S-ERR-02", 1, kit().log().count(FaultPoint.OPEN_BEFORE, "b"), "launches of b");
  }

  /** Input that cannot be delivered ends the command. */
  @ParameterizedTest
  @CsvSource({"SEND_BEFORE", "SEND_PARTIAL"})
  @Rule({"S-CLEAN-01", "S-ERR-02"})
  @Scenario("R5")
  default void S_CLEAN_01_aFailureWhileInputIsDelivered(FaultPoint point) throws Exception {
    kit().at(point).tag("a").bytes(3).fail(StartRules::transport);
    SandboxSession session = kit().session();
    String text = "cat > /dev/null; " + kit().beating("a");
    Caller<ExecResult> exec =
        kit()
            .call(
                () ->
                    session.exec(
                        kit().shell("a", text).stdin(Stdin.bytes("some input".getBytes(UTF_8)))));
    Throwable thrown = exec.returnsWithin("S-CLEAN-01", kit().bound()).failed("S-CLEAN-01");
    SandboxException seen = Expect.code("S-CLEAN-01", ErrorCode.TRANSPORT, thrown);
    Expect.that("S-ERR-02", seen.retryable() != Retryable.YES, "it may have run");
    kit().dead("S-CLEAN-01", "a");
    kit().ownsNothing("S-CLEAN-01");
  }

  /** Input that is stuck is left with the caller's cancellation. */
  @ParameterizedTest
  @EnumSource(Flavour.class)
  @Rule({"S-CANCEL-02", "S-CLEAN-01"})
  @Scenario("R5")
  default void S_CLEAN_01_aCancellationWhileInputIsDelivered(Flavour flavour) throws Exception {
    Gate gate = kit().at(FaultPoint.SEND_PARTIAL).tag("a").bytes(3).block();
    SandboxSession session = kit().session();
    String text = "echo x > begun; " + kit().beating("a");
    Caller<ExecResult> exec =
        kit()
            .call(
                flavour,
                () ->
                    session.exec(
                        kit().shell("a", text).stdin(Stdin.bytes("some input".getBytes(UTF_8)))));
    Expect.that("S-CLEAN-01", gate.awaitReached(kit().slack()), "the input is under way");
    exec.cancel();
    exec.returnsWithin("S-CLEAN-01", kit().bound().plus(kit().drainBound()))
        .cancelled("S-CANCEL-02");
    kit().dead("S-CLEAN-01", "a");
    kit().ownsNothing("S-CLEAN-01");
  }

  /** After registration: ended, unless it is to be kept. */
  @ParameterizedTest
  @CsvSource({
    "SCOPE,false",
    "INTERRUPT,false",
    "DEADLINE,false",
    "SCOPE,true",
    "INTERRUPT,true",
    "DEADLINE,true"
  })
  @Rule({"S-CANCEL-06", "S-CANCEL-02"})
  @Scenario("R6")
  default void S_CANCEL_06_cancelledDuringTheFirstCollection(Flavour flavour, boolean keep)
      throws Exception {
    Gate gate = kit().gates().block(HookPoint.COLLECT_START);
    Ptys ptys = kit().ptys();
    PtyRequest request =
        beating("a").collect(YieldOptions.forStart().window(Duration.ofSeconds(30)));
    Caller<PtyUpdate> start =
        kit().call(flavour, () -> ptys.start(keep ? request.keepOnCancel() : request));
    Expect.that("S-CANCEL-06", gate.awaitReached(kit().slack()), "the collection begins");
    kit().awaitBeat("a");
    start.cancel();
    gate.open();
    start.returnsWithin("S-CANCEL-06", kit().bound()).cancelled("S-CANCEL-02");
    if (keep) {
      Expect.same("S-CANCEL-06", 1, ptys.list().size(), "PTYs listed");
      kit().alive("S-CANCEL-06", "a");
      int id = ptys.list().get(0).id();
      Expect.that("S-CANCEL-06", !ptys.terminate(id).running(), "it can be ended by its id");
    } else {
      Expect.that("S-CANCEL-06", ptys.list().isEmpty(), "it is still listed");
    }
    kit().dead("S-CANCEL-06", "a");
    kit().ownsNothing("S-CANCEL-06");
  }
}
