package io.sandboxspi.tck.rules;

import io.sandboxspi.Capability;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import org.junit.jupiter.api.Test;

/** Descendants: in the group, without a leader, escaped. */
public interface TreeRules extends KitAccess {
  /** A child in the background, its output elsewhere. */
  private String child(String how, String tag) {
    return how + " sh -c \"" + kit().beating(tag) + "\" > /dev/null 2>&1 < /dev/null & ";
  }

  /** The leader has gone, its group has not. */
  @Test
  @Rule("S-CLEAN-09")
  @Scenario("R30")
  default void S_CLEAN_09_theGroupOfALeaderThatHasGoneIsEnded() throws Exception {
    kit().need(Capability.KILL_GROUP);
    Ptys ptys = kit().ptys();
    PtyUpdate start = ptys.start(kit().pty("a", child("", "a") + "echo up; sleep 1; exit 5"));
    kit().awaitBeat("a");
    PtyUpdate end = start.running() ? ptys.poll(start.id()) : start;
    Expect.that("S-CLEAN-09", !end.running(), "the update waits for a child");
    Expect.same("S-CLEAN-09", 5, end.exitCode().orElse(-1), "the leader's exit code");
    kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound()).value("S-CLEAN-09");
    kit().dead("S-CLEAN-09", "a");
    kit().ownsNothing("S-CLEAN-09");
  }

  /** The same for a command. */
  @Test
  @Rule("S-CLEAN-09")
  @Scenario("R30")
  default void S_CLEAN_09_whatACommandLeavesInItsGroupIsEnded() throws Exception {
    kit().need(Capability.KILL_GROUP);
    SandboxSession session = kit().session();
    Object unused = session.exec(kit().shell("a", child("", "a") + "sleep 0.5; exit 0"));
    kit().terminateAll().returnsWithin("S-CLEAN-05", kit().bound()).value("S-CLEAN-09");
    kit().dead("S-CLEAN-09", "a");
    kit().ownsNothing("S-CLEAN-09");
  }

  /** Descendants with a session of their own. */
  @Test
  @Rule("S-CLEAN-09")
  @Scenario("R30")
  default void S_CLEAN_09_escapedDescendantsAreEnded() throws Exception {
    kit().need(Capability.KILL_ESCAPED);
    Ptys ptys = kit().ptys();
    String text =
        child("setsid", "a") + child("nohup setsid", "b") + "echo up; " + kit().beating("c");
    PtyUpdate start = ptys.start(kit().pty("a", text));
    kit().awaitBeat("a");
    kit().awaitBeat("b");
    kit().awaitBeat("c");
    Caller<PtyUpdate> terminate = kit().call(() -> ptys.terminate(start.id()));
    PtyUpdate end = terminate.returnsWithin("S-CLEAN-05", kit().bound()).value("S-CLEAN-09");
    Expect.that("S-PTY-04", !end.running(), "terminate shows a live id");
    // All carry the tag of their launch: none may be left.
    kit().dead("S-CLEAN-09", "a", "b", "c");
  }

  /** Nothing of a session is left after its close: the audit looks at everything else. */
  @Test
  @Rule("S-CLEAN-12")
  default void S_CLEAN_12_aClosedSessionLeavesNothing() throws Exception {
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    Object command = kit().beatCommand("b");
    PtyUpdate update =
        session.ptys().start(kit().pty("c", child("", "c") + "echo up; exec sleep 60"));
    Expect.that("S-CLEAN-12", update.running() && command != null, "all run");
    session.files().write("some/file", new byte[10]);
    kit().run(session::close).returnsWithin("S-CLEAN-12", kit().closeBound()).value("S-CLEAN-12");
    kit().dead("S-CLEAN-12", "a", "b", "c");
    Expect.that("S-CLEAN-12", kit().owned().isEmpty(), "the session owns %s", kit().owned());
  }
}
