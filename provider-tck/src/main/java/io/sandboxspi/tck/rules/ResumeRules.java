package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.core.snapshot.Checkpoints;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.kit.Expect;
import org.junit.jupiter.api.Test;

/** Opening a session from a checkpoint. */
public interface ResumeRules extends KitAccess {
  private static String text(SandboxSession session, String path) throws InterruptedException {
    return new String(session.files().read(path), UTF_8);
  }

  private static void put(SandboxSession session, String path, String text)
      throws InterruptedException {
    session.files().write(path, text.getBytes(UTF_8));
  }

  private void done(Expect.Work work) throws Exception {
    kit().run(work).returnsWithin("S-LIFE-03", kit().closeBound()).value("S-LIFE-03");
  }

  private int created() {
    return kit().log().count(FaultPoint.CREATE_RETURN);
  }

  /** A backend that lives is worked on with, whatever the snapshot says. */
  @Test
  @Rule("S-RESUME-02")
  @Scenario("R25")
  default void S_RESUME_02_aLiveBackendIsAttachedTo() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "a", "saved");
    Checkpoint checkpoint = session.stop();
    put(session, "a", "newer");
    Object unused = session.detach();
    Checkpoint read = Checkpoints.fromJson(Checkpoints.toJson(checkpoint));
    SandboxSession again = kit().resume(read);
    Expect.same("S-RESUME-02", "newer", text(again, "a"), "the workspace of the live backend");
    Expect.same("S-RESUME-02", 1, created(), "backends made");
  }

  /** A checkpoint stays good over later stops and closes. */
  @Test
  @Rule("S-RESUME-02")
  @Scenario("R25")
  default void S_RESUME_02_aCheckpointStaysGood() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    kit().saving(kit().policy().keep(1));
    SandboxSession session = kit().session();
    put(session, "a", "1");
    Checkpoint first = session.stop();
    Checkpoint between = session.checkpoint();
    put(session, "a", "2");
    Checkpoint changed = session.checkpoint();
    done(session::close);
    for (Checkpoint each : new Checkpoint[] {first, between, changed, session.checkpoint()}) {
      SandboxSession again = kit().resume(each);
      Expect.same("S-RESUME-02", "2", text(again, "a"), "the newest workspace");
      done(again::delete);
    }
  }

  /** What is older than the checkpoint is no answer. */
  @Test
  @Rule("S-RESUME-02")
  default void S_RESUME_02_anOlderSnapshotIsRefused() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "a", "1");
    Object unused = session.stop();
    put(session, "a", "2");
    Checkpoint changed = session.checkpoint();
    done(session::delete);
    Expect.code("S-RESUME-02", ErrorCode.SNAPSHOT_NOT_FOUND, () -> kit().resume(changed));
    Expect.same("S-RESUME-02", 1, created(), "backends made");
  }

  /** Not to know whether it lives is not to know that it is gone. */
  @Test
  @Rule("S-RESUME-03")
  @Scenario("R25")
  default void S_RESUME_03_aBackendThatCannotBeReachedIsNotReplaced() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "a", "kept");
    Object unused = session.stop();
    Checkpoint checkpoint = session.detach();
    kit()
        .at(FaultPoint.ATTACH_BEFORE)
        .fail(() -> SandboxException.of(ErrorCode.TRANSPORT, Operation.RESUME, "no route"));
    SandboxException refused =
        Expect.code("S-RESUME-03", ErrorCode.BACKEND_UNREACHABLE, () -> kit().resume(checkpoint));
    Expect.same("S-RESUME-03", Retryable.YES, refused.retryable(), "retryable");
    Expect.same("S-RESUME-03", 1, created(), "backends made");
    SandboxSession again = kit().resume(checkpoint);
    Expect.same("S-RESUME-03", "kept", text(again, "a"), "the workspace");
    Expect.same("S-RESUME-03", 1, created(), "backends made");
  }

  /** One that is gone is found to be. */
  @Test
  @Rule({"S-RESUME-02", "S-RESUME-03"})
  default void S_RESUME_02_aBackendThatIsGoneIsMadeAgain() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "a", "saved");
    Checkpoint checkpoint = session.stop();
    done(session::delete);
    Expect.that("S-RESUME-02", checkpoint.backend().isPresent(), "it names its backend");
    SandboxSession again = kit().resume(checkpoint);
    Expect.same("S-RESUME-02", "saved", text(again, "a"), "the workspace");
    Expect.same("S-RESUME-02", 2, created(), "backends made");
  }

  /** Whose it is, is looked at first. */
  @Test
  @Rule("S-RESUME-01")
  default void S_RESUME_01_aCheckpointOfAnotherProviderIsRefused() throws Exception {
    Checkpoint foreign = Checkpoint.of(kit().provider().name() + "-other", "x", 0);
    Expect.code("S-RESUME-01", ErrorCode.CHECKPOINT_FOREIGN, () -> kit().resume(foreign));
    Expect.same("S-RESUME-01", 0, kit().log().size(), "calls to the backend");
  }

  /** The workspace is put back; one that is as it was is not touched. */
  @Test
  @Rule("S-RESUME-04")
  default void S_RESUME_04_aWorkspaceIsPutBack() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "a", "saved");
    Checkpoint checkpoint = session.stop();
    Object unused = session.detach();
    SandboxSession same = kit().resume(checkpoint, true);
    Expect.same("S-RESUME-04", 0, kit().log().count(FaultPoint.SNAPSHOT_OPEN), "restores");
    put(same, "a", "changed");
    put(same, "b", "new");
    Object unused2 = same.detach();
    SandboxSession back = kit().resume(checkpoint, true);
    Expect.same("S-RESUME-04", 1, kit().log().count(FaultPoint.SNAPSHOT_OPEN), "restores");
    Expect.same("S-RESUME-04", "saved", text(back, "a"), "the workspace");
    Expect.same("S-RESUME-04", 1, back.files().list(".").size(), "entries");
    Expect.same("S-RESUME-04", 1, created(), "backends made");
  }
}
