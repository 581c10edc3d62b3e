package io.sandboxspi.tck.rules;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExecResult;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.PtyEndReason;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.RuleViolation;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.time.Duration;
import org.junit.jupiter.api.Test;

/** A connection that breaks is not an exit. */
public interface LostRules extends KitAccess {
  private void lost(PtyUpdate update) {
    Expect.that("S-EXIT-03", !update.running(), "the update shows a live id: %s", update);
    boolean invented =
        update.exit().isPresent() && !(update.exit().get() instanceof ExitStatus.Lost);
    Expect.that("S-EXIT-01", !invented, "an exit was invented: %s", update.exit());
    Expect.same("S-EXIT-03", PtyEndReason.LOST, update.endReason().orElseThrow(), "end reason");
  }

  /** While nobody waits. */
  @Test
  @Rule({"S-EXIT-03", "S-EXIT-01"})
  @Scenario("R21")
  default void S_EXIT_03_aLossWhileIdleIsSeenByTheNextPoll() throws Exception {
    Ptys ptys = kit().ptys();
    int id = kit().beat("a");
    kit().launched("a").dropConnection();
    Caller<PtyUpdate> poll = kit().call(() -> ptys.poll(id));
    lost(poll.returnsWithin("S-EXIT-03", kit().bound()).value("S-EXIT-03"));
    Expect.code("S-EXIT-03", ErrorCode.PTY_NOT_FOUND, () -> ptys.poll(id));
    kit().dead("S-EXIT-03", "a");
    Expect.that(
        "S-EXIT-03", kit().log().count(FaultPoint.KILL_BEFORE, "a") > 0, "the kill is tried");
    kit().ownsNothing("S-EXIT-03");
  }

  /** While a poll waits. */
  @Test
  @Rule({"S-EXIT-03", "S-EXIT-01"})
  @Scenario("R21")
  default void S_EXIT_03_aLossWakesAPoll() throws Exception {
    Ptys ptys = kit().ptys();
    int id = kit().beat("a");
    YieldOptions longest = YieldOptions.forPoll().window(Duration.ofSeconds(30));
    Caller<PtyUpdate> poll = kit().call(() -> ptys.poll(id, longest));
    kit().pass(Duration.ofMillis(300));
    kit().launched("a").dropConnection();
    lost(poll.returnsWithin("S-EXIT-03", kit().bound()).value("S-EXIT-03"));
    kit().dead("S-EXIT-03", "a");
    kit().ownsNothing("S-EXIT-03");
  }

  /** While a write is under way. */
  @Test
  @Rule({"S-EXIT-03", "S-EXIT-01"})
  @Scenario("R21")
  default void S_EXIT_03_aLossDuringAWriteIsNoRawError() throws Exception {
    Ptys ptys = kit().ptys();
    PtyUpdate started = ptys.start(kit().terminal("a", "echo up; " + kit().beating("a")));
    kit().awaitBeat("a");
    FaultPoint point = FaultPoint.SEND_BEFORE;
    kit().at(point).tag("a").drop();
    Caller<PtyUpdate> write = kit().call(() -> ptys.write(started.id(), "x"));
    write.returnsWithin("S-EXIT-03", kit().bound());
    if (write.failure().isPresent()) {
      Throwable thrown = write.failure().get();
      boolean typed =
          thrown instanceof SandboxException e
              && (e.code() == ErrorCode.TRANSPORT || e.code() == ErrorCode.PTY_NOT_FOUND);
      if (!typed) {
        throw new RuleViolation("S-EXIT-03", "a write met a loss: " + thrown, thrown);
      }
    } else {
      lost(write.value("S-EXIT-03"));
    }
    kit().dead("S-EXIT-03", "a");
    kit().ownsNothing("S-EXIT-03");
  }

  /** Commands, too. */
  @Test
  @Rule({"S-EXIT-03", "S-EXIT-01"})
  @Scenario({"R21", "B55"})
  default void S_EXIT_03_aLostCommandHasNoCode() throws Exception {
    SandboxSession session = kit().session();
    Caller<ExecResult> exec = kit().call(() -> session.exec(kit().shell("a", kit().beating("a"))));
    kit().awaitBeat("a");
    kit().launched("a").dropConnection();
    exec.returnsWithin("S-EXIT-03", kit().bound().plus(kit().drainBound()));
    if (exec.failure().isPresent()) {
      Expect.code("S-EXIT-03", ErrorCode.TRANSPORT, exec.failure().get());
    } else {
      ExecResult result = exec.value("S-EXIT-03");
      Expect.that(
          "S-EXIT-01",
          result.status() instanceof ExitStatus.Lost,
          "an exit was invented: %s",
          result.status());
    }
    kit().dead("S-EXIT-03", "a");
    kit().ownsNothing("S-EXIT-03");
  }

  /** A provider that does not know the code says so, and nobody makes one up. */
  @Test
  @Rule("S-EXIT-01")
  @Scenario("B55")
  default void S_EXIT_01_anUnknownExitStaysUnknown() throws Exception {
    kit().at(FaultPoint.EXIT).tag("a").answer(new ExitStatus.Lost("no code came"));
    SandboxSession session = kit().session();
    PtyUpdate update = session.ptys().start(kit().pty("a", "echo x; exit 0"));
    if (update.running()) {
      update = session.ptys().poll(update.id());
    }
    lost(update);
    Expect.that("S-EXIT-01", update.exitCode().isEmpty(), "there is no exit code");
  }
}
