package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SessionState;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Active, closing, closed. */
public interface LifeRules extends KitAccess {
  private void refused(SandboxSession session) throws InterruptedException {
    int calls = kit().log().size();
    List<Expect.Work> works = new ArrayList<>();
    works.add(() -> session.exec(Command.of("true")));
    works.add(() -> session.start(Command.of("true")));
    works.add(() -> session.ptys().start(PtyRequest.of("true").withoutTerminal()));
    works.add(() -> session.ptys().write(1234, "x"));
    works.add(() -> session.ptys().poll(1234));
    works.add(() -> session.ptys().terminate(1234));
    works.add(() -> session.files().read("x"));
    works.add(() -> session.files().write("x", new byte[1]));
    works.add(() -> session.files().list("."));
    works.add(() -> session.files().stat("."));
    works.add(() -> session.files().makeDirectories("d"));
    works.add(() -> session.files().removeTree("d"));
    for (Expect.Work work : works) {
      Caller<Boolean> call = kit().run(work);
      Throwable thrown = call.returnsWithin("S-LIFE-01", kit().slack()).failed("S-LIFE-01");
      Expect.code("S-LIFE-01", ErrorCode.SESSION_CLOSED, thrown);
    }
    Expect.same("S-LIFE-01", calls, kit().log().size(), "calls to the backend");
  }

  /** Outside active everything is refused without a call below. */
  @Test
  @Rule("S-LIFE-01")
  @Scenario("R14")
  default void S_LIFE_01_useWhileClosingAndAfterwardsIsRefusedAtOnce() throws Exception {
    Gate gate = kit().at(FaultPoint.KILL_BEFORE).tag("a").block();
    SandboxSession session = kit().session();
    Expect.same("S-LIFE-01", SessionState.ACTIVE, session.state(), "state at first");
    int unused = kit().beat("a");
    Caller<Boolean> close = kit().run(session::close);
    Expect.that("S-LIFE-01", gate.awaitReached(kit().slack()), "the close begins");
    Expect.same("S-LIFE-01", SessionState.CLOSING, session.state(), "state while closing");
    // Quick: the kill's bound is running.
    Expect.code("S-LIFE-01", ErrorCode.SESSION_CLOSED, () -> session.exec(Command.of("true")));
    Expect.code("S-LIFE-01", ErrorCode.SESSION_CLOSED, () -> session.files().read("x"));
    Expect.code("S-LIFE-01", ErrorCode.SESSION_CLOSED, () -> session.ptys().poll(1234));
    gate.open();
    close.returnsWithin("S-LIFE-01", kit().closeBound()).value("S-LIFE-01");
    Expect.same("S-LIFE-01", SessionState.CLOSED, session.state(), "state after the close");
    refused(session);
    kit().dead("S-LIFE-01", "a");
  }

  /** A shutdown is for good, and refuses like a close. */
  @Test
  @Rule({"S-LIFE-01", "S-LIFE-03"})
  @Scenario("R14")
  default void S_LIFE_01_aShutdownIsForGood() throws Exception {
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    kit().run(session::shutdown).returnsWithin("S-LIFE-03", kit().closeBound()).value("S-LIFE-03");
    kit().dead("S-LIFE-03", "a");
    refused(session);
    Expect.same("S-LIFE-03", 0, kit().log().count(FaultPoint.DELETE_BEFORE), "deletions");
    kit().run(session::close).returnsWithin("S-LIFE-03", kit().closeBound()).value("S-LIFE-03");
    Expect.same("S-LIFE-03", 1, kit().log().count(FaultPoint.DELETE_BEFORE), "deletions");
  }

  /** A stop is a checkpoint. */
  @Test
  @Rule("S-LIFE-02")
  @Scenario("R14")
  default void S_LIFE_02_afterAStopTheSessionWorksAgain() throws Exception {
    SandboxSession session = kit().session();
    int id = kit().beat("a");
    session.files().write("kept", "data".getBytes(UTF_8));
    kit().run(session::stop).returnsWithin("S-LIFE-02", kit().bound()).value("S-LIFE-02");
    kit().dead("S-LIFE-02", "a");
    Expect.code("S-LIFE-02", ErrorCode.PTY_NOT_FOUND, () -> session.ptys().poll(id));
    Expect.that("S-LIFE-02", session.ptys().list().isEmpty(), "PTYs are listed after a stop");
    Expect.same("S-LIFE-02", SessionState.ACTIVE, session.state(), "state after a stop");
    String kept = session.exec(Command.of("cat", "kept")).stdout().text();
    Expect.same("S-LIFE-02", "data", kept, "the workspace after a stop");
    PtyUpdate again = session.ptys().start(kit().pty("b", "echo up; exec sleep 60"));
    Expect.that("S-LIFE-02", again.running(), "a PTY starts after a stop");
    Expect.same("S-LIFE-02", Liveness.RUNNING, session.probe(), "the backend lives");
    Expect.same("S-LIFE-02", 1, kit().provider().backends().size(), "backends made");
  }

  /** A listener that calls back into a closing step does not wait for itself. */
  @ParameterizedTest
  @ValueSource(strings = {"terminateAll", "stop", "close"})
  @Rule("S-LIFE-05")
  @Scenario("R26")
  default void S_LIFE_05_aCallFromInsideAClosingStepNeverWaitsForItself(String how)
      throws Exception {
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    AtomicInteger calls = new AtomicInteger();
    kit()
        .listen(
            event -> {
              boolean mine =
                  event instanceof SandboxEvent.Started started
                      && (started.operation() == Operation.STOP
                          || started.operation() == Operation.CLOSE
                          || started.operation() == Operation.PTY_TERMINATE_ALL);
              if (mine && calls.getAndIncrement() < 2) {
                reenter(session);
              }
            });
    Expect.Work work =
        switch (how) {
          case "terminateAll" -> session.ptys()::terminateAll;
          case "stop" -> session::stop;
          default -> session::close;
        };
    Caller<Boolean> call = kit().run(work);
    call.returnsWithin("S-LIFE-05", kit().closeBound());
    kit().eventually("S-LIFE-05", "the listener is called", () -> calls.get() > 0);
    kit().dead("S-LIFE-05", "a");
    kit().run(session::close).returnsWithin("S-LIFE-05", kit().closeBound()).value("S-LIFE-05");
  }

  private static void reenter(SandboxSession session) {
    try {
      session.close();
    } catch (RuntimeException refused) {
      // It may be refused; it may not hang.
      if (refused.getMessage() == null) {
        throw refused;
      }
    }
  }
}
