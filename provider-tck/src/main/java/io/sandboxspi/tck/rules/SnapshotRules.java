package io.sandboxspi.tck.rules;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.nio.charset.StandardCharsets.UTF_8;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SessionState;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.tck.Rule;
import io.sandboxspi.tck.Scenario;
import io.sandboxspi.tck.fault.FaultPoint;
import io.sandboxspi.tck.fault.Gate;
import io.sandboxspi.tck.kit.Caller;
import io.sandboxspi.tck.kit.Expect;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Callable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Saving the workspace: what is saved, and what waits for it. */
public interface SnapshotRules extends KitAccess {
  private static String text(SandboxSession session, String path) throws InterruptedException {
    return new String(session.files().read(path), UTF_8);
  }

  private static void put(SandboxSession session, String path, String text)
      throws InterruptedException {
    session.files().write(path, text.getBytes(UTF_8));
  }

  /** The order in which things were done, of those that are named. */
  private List<FaultPoint> order(FaultPoint... points) {
    List<FaultPoint> named = List.of(points);
    return kit().log().calls().stream()
        .map(call -> call.point())
        .filter(named::contains)
        .distinct()
        .toList();
  }

  private void ended(Expect.Work work) throws Exception {
    kit().run(work).returnsWithin("S-LIFE-03", kit().closeBound()).value("S-LIFE-03");
  }

  /** A stop saves what is there, and another one what is there then. */
  @Test
  @Rule({"S-SNAP-01", "S-RESUME-02"})
  default void S_SNAP_01_everyStopSavesTheWorkspaceAsItIs() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "dir/a", "one");
    Checkpoint first = session.stop();
    put(session, "dir/a", "two");
    Object unused = session.exec(Command.of("ln", "-s", "a", "dir/link"));
    Checkpoint second = session.stop();
    Expect.same("S-SNAP-01", 1L, first.oldest(), "number of the first");
    Expect.same("S-SNAP-01", 2L, second.oldest(), "number of the second");
    kit().run(session::delete).returnsWithin("S-LIFE-10", kit().closeBound()).value("S-LIFE-10");
    SandboxSession one = kit().resume(first);
    Expect.same("S-RESUME-02", "one", text(one, "dir/a"), "the first snapshot");
    kit().run(one::delete).returnsWithin("S-LIFE-10", kit().closeBound()).value("S-LIFE-10");
    SandboxSession two = kit().resume(second);
    Expect.same("S-RESUME-02", "two", text(two, "dir/link"), "the second snapshot");
    String work = two.exec(Command.of("cat", "dir/link")).stdout().text();
    Expect.same("S-RESUME-02", "two", work, "what a command sees");
  }

  /** Processes, snapshot, release, deletion. */
  @Test
  @Rule({"S-SNAP-01", "S-SNAP-02", "S-SNAP-04", "S-LIFE-03"})
  @Scenario("R25")
  default void S_SNAP_02_aCloseSavesBetweenTheLastKillAndTheRelease() throws Exception {
    kit().saving();
    SandboxSession session = kit().session();
    int unused = kit().beat("a");
    ended(session::close);
    kit().dead("S-LIFE-03", "a");
    Expect.same(
        "S-SNAP-02",
        List.of(
            FaultPoint.KILL_RETURN,
            FaultPoint.SNAPSHOT_BEFORE,
            FaultPoint.SNAPSHOT_RETURN,
            FaultPoint.BACKEND_RELEASE_BEFORE,
            FaultPoint.DELETE_BEFORE),
        order(
            FaultPoint.KILL_RETURN,
            FaultPoint.SNAPSHOT_BEFORE,
            FaultPoint.SNAPSHOT_RETURN,
            FaultPoint.BACKEND_RELEASE_BEFORE,
            FaultPoint.DELETE_BEFORE),
        "order");
    Expect.same("S-SNAP-04", 1, kit().log().count(FaultPoint.SNAPSHOT_BEFORE), "snapshots");
  }

  /** A process that may live could write while the workspace is read. */
  @ParameterizedTest
  @ValueSource(strings = {"stop", "close"})
  @Rule({"S-SNAP-02", "S-SNAP-04", "S-RESUME-01", "S-LIFE-04"})
  @Scenario("R25")
  default void S_SNAP_02_nothingIsSavedOverASurvivor(String how) throws Exception {
    kit().saving();
    SandboxSession session = kit().session();
    Checkpoint early = session.stop();
    int archived = kit().log().count(FaultPoint.SNAPSHOT_BEFORE);
    kit()
        .at(FaultPoint.KILL_BEFORE)
        .tag("a")
        .fail(() -> new IllegalStateException("the kill fails"));
    int unused = kit().beat("a");
    Expect.Work work = how.equals("stop") ? session::stop : session::close;
    kit().run(work).returnsWithin("S-CLEAN-05", kit().closeBound()).failed("S-SNAP-02");
    Expect.same("S-SNAP-02", archived, kit().log().count(FaultPoint.SNAPSHOT_BEFORE), "snapshots");
    Expect.same("S-SNAP-04", 0, kit().log().count(FaultPoint.BACKEND_RELEASE_BEFORE), "releases");
    Expect.same("S-SNAP-04", 0, kit().log().count(FaultPoint.DELETE_BEFORE), "deletions");
    kit().alive("S-SNAP-02", "a");
    Expect.code("S-RESUME-01", ErrorCode.CHECKPOINT_PENDING, session::checkpoint);
    Expect.code("S-RESUME-01", ErrorCode.CHECKPOINT_PENDING, () -> kit().resume(early));
    ended(work);
    kit().dead("S-SNAP-02", "a");
    Expect.same(
        "S-SNAP-02", archived + 1, kit().log().count(FaultPoint.SNAPSHOT_BEFORE), "snapshots");
    Expect.same("S-RESUME-01", 2L, session.checkpoint().oldest(), "number");
  }

  /** What another session runs in the same backend could write, too. */
  @Test
  @Rule("S-SNAP-08")
  default void S_SNAP_08_aStopEndsWhatOthersRunInTheBackend() throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    SandboxSession other = kit().resume(session.checkpoint());
    Object unused = other.ptys().start(kit().pty("b", "echo up; " + kit().beating("b")));
    kit().awaitBeat("b");
    kit().run(session::stop).returnsWithin("S-SNAP-08", kit().closeBound()).value("S-SNAP-08");
    kit().dead("S-SNAP-08", "b");
    kit().call(other::detach).returnsWithin("S-LIFE-11", kit().closeBound()).value("S-LIFE-11");
  }

  /** Where a snapshot can fail. */
  enum Failing {
    /** The store refuses it. */
    BEFORE,
    /** It breaks off. */
    MIDDLE,
    /** It is saved, and nobody knows. */
    AFTER
  }

  /** What is not saved yet is only in the backend. */
  @ParameterizedTest
  @EnumSource(Failing.class)
  @Rule({"S-SNAP-04", "S-SNAP-03", "S-RESUME-01", "S-LIFE-04"})
  @Scenario("R25")
  default void S_SNAP_04_theBackendIsKeptUntilItsSnapshotIsDefinitive(Failing how)
      throws Exception {
    kit().need(Capability.REATTACH);
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "a", "old");
    Checkpoint early = session.stop();
    put(session, "a", "new");
    FaultPoint point =
        switch (how) {
          case BEFORE -> FaultPoint.SNAPSHOT_BEFORE;
          case MIDDLE -> FaultPoint.SNAPSHOT_ARCHIVED;
          case AFTER -> FaultPoint.SNAPSHOT_RETURN;
        };
    kit().at(point).fail(() -> new IOException("the disk is full"));
    Throwable thrown =
        kit()
            .run(session::close)
            .returnsWithin("S-CLEAN-05", kit().closeBound())
            .failed("S-SNAP-04");
    Expect.code("S-SNAP-04", ErrorCode.SNAPSHOT_FAILED, thrown);
    Expect.same("S-SNAP-04", SessionState.CLOSING, session.state(), "state");
    List<Long> listed = how == Failing.AFTER ? List.of(2L, 1L) : List.of(1L);
    Expect.same("S-SNAP-03", listed, kit().snapshots(early), "snapshots listed");
    Expect.same("S-SNAP-04", 0, kit().log().count(FaultPoint.BACKEND_RELEASE_BEFORE), "releases");
    Expect.same("S-SNAP-04", 0, kit().log().count(FaultPoint.DELETE_BEFORE), "deletions");
    Expect.code("S-RESUME-01", ErrorCode.CHECKPOINT_PENDING, session::checkpoint);
    Expect.code("S-RESUME-01", ErrorCode.CHECKPOINT_PENDING, () -> kit().resume(early));
    ended(session::close);
    Expect.same("S-SNAP-04", 1, kit().log().count(FaultPoint.DELETE_BEFORE), "deletions");
    SandboxSession last = kit().resume(session.checkpoint());
    Expect.same("S-SNAP-04", "new", text(last, "a"), "what was saved");
    kit().run(last::delete).returnsWithin("S-LIFE-10", kit().closeBound()).value("S-LIFE-10");
    SandboxSession first = kit().resume(early);
    Expect.same("S-SNAP-03", "old", text(first, "a"), "what was saved before");
  }

  /** A store that never answers is bounded, and what it says late counts. */
  @Test
  @Rule({"S-SNAP-04", "S-SNAP-05", "S-CLEAN-05"})
  @Scenario("R25")
  default void S_SNAP_05_aSnapshotThatIsLateCounts() throws Exception {
    kit().saving();
    kit().saving(kit().policy().timeout(Duration.ofMillis(700)));
    SandboxSession session = kit().session();
    Gate gate = kit().at(FaultPoint.SNAPSHOT_RETURN).stuck();
    Throwable thrown =
        kit().run(session::close).returnsWithin("S-CLEAN-05", kit().bound()).failed("S-SNAP-04");
    Expect.code("S-SNAP-05", ErrorCode.SNAPSHOT_FAILED, thrown);
    Expect.same("S-SNAP-04", 0, kit().log().count(FaultPoint.BACKEND_RELEASE_BEFORE), "releases");
    gate.open();
    kit()
        .eventually(
            "S-SNAP-05",
            "the close goes through",
            () -> {
              Caller<Boolean> again = kit().run(session::close);
              return again.returnsWithin("S-CLEAN-05", kit().closeBound()).failure().isEmpty();
            });
    Expect.same("S-SNAP-05", 1, kit().log().count(FaultPoint.SNAPSHOT_BEFORE), "snapshots");
  }

  /** A damaged snapshot fills nothing, and leaves no half-made backend. */
  @Test
  @Rule({"S-SNAP-03", "S-RESUME-06"})
  default void S_RESUME_06_aSnapshotThatCannotBeReadLeavesNothing() throws Exception {
    kit().saving();
    SandboxSession session = kit().session();
    put(session, "a", "kept");
    ended(session::close);
    Checkpoint checkpoint = session.checkpoint();
    kit()
        .at(FaultPoint.SNAPSHOT_OPEN)
        .fail(() -> new IllegalStateException("the store is not there"));
    int deletions = kit().log().count(FaultPoint.DELETE_BEFORE);
    Throwable unused =
        kit()
            .call(() -> kit().resume(checkpoint))
            .returnsWithin("S-RESUME-06", kit().closeBound())
            .failed("S-RESUME-06");
    Expect.same(
        "S-RESUME-06",
        deletions + 1,
        kit().log().count(FaultPoint.DELETE_BEFORE),
        "deletions of what was made for it");
    SandboxSession again = kit().resume(checkpoint);
    Expect.same("S-RESUME-06", "kept", text(again, "a"), "what was saved");
  }

  /** A backend that is left lives on. */
  @Test
  @Rule("S-LIFE-11")
  default void S_LIFE_11_aDetachedBackendLivesWithoutProcesses() throws Exception {
    kit().need(Capability.REATTACH);
    SandboxSession session = kit().session();
    put(session, "a", "kept");
    int unused = kit().beat("a");
    Caller<Checkpoint> detach = kit().call(session::detach);
    Checkpoint checkpoint =
        detach.returnsWithin("S-LIFE-11", kit().closeBound()).value("S-LIFE-11");
    kit().dead("S-LIFE-11", "a");
    Expect.same("S-LIFE-11", SessionState.CLOSED, session.state(), "state");
    ended(session::close);
    Expect.same("S-LIFE-11", 0, kit().log().count(FaultPoint.DELETE_BEFORE), "deletions");
    SandboxSession again = kit().resume(checkpoint);
    Expect.same("S-LIFE-11", "kept", text(again, "a"), "the workspace");
    String work = again.exec(Command.of("cat", "a")).stdout().text();
    Expect.same("S-LIFE-11", "kept", work, "what a command sees");
  }

  /** Without a kill that is proven there is somebody to look after. */
  @Test
  @Rule({"S-LIFE-11", "S-CLEAN-07"})
  default void S_LIFE_11_nothingIsLeftWithASurvivor() throws Exception {
    kit().need(Capability.REATTACH);
    SandboxSession session = kit().session();
    kit()
        .at(FaultPoint.KILL_BEFORE)
        .tag("a")
        .fail(() -> new IllegalStateException("the kill fails"));
    int unused = kit().beat("a");
    Throwable thrown =
        kit()
            .call(session::detach)
            .returnsWithin("S-LIFE-11", kit().closeBound())
            .failed("S-LIFE-11");
    Expect.that("S-LIFE-11", thrown.getMessage() != null, "no message");
    Expect.same("S-LIFE-11", 0, kit().log().count(FaultPoint.DETACH_BEFORE), "detachments");
    kit().call(session::detach).returnsWithin("S-LIFE-11", kit().closeBound()).value("S-LIFE-11");
    kit().dead("S-LIFE-11", "a");
  }

  /** A deletion saves nothing, and needs no good snapshot. */
  @Test
  @Rule("S-LIFE-10")
  default void S_LIFE_10_aDeletionSavesNothing() throws Exception {
    kit().saving();
    SandboxSession session = kit().session();
    kit()
        .at(FaultPoint.SNAPSHOT_BEFORE)
        .fail(() -> new IllegalStateException("the store is not there"));
    kit().run(session::close).returnsWithin("S-CLEAN-05", kit().closeBound()).failed("S-SNAP-04");
    kit().run(session::delete).returnsWithin("S-LIFE-10", kit().closeBound()).value("S-LIFE-10");
    Expect.same("S-LIFE-10", SessionState.CLOSED, session.state(), "state");
    Expect.same("S-LIFE-10", 1, kit().log().count(FaultPoint.SNAPSHOT_BEFORE), "snapshots");
    Expect.same("S-LIFE-10", 1, kit().log().count(FaultPoint.DELETE_BEFORE), "deletions");
    Checkpoint lost = session.checkpoint();
    Expect.code("S-RESUME-02", ErrorCode.SNAPSHOT_NOT_FOUND, () -> kit().resume(lost));
  }

  /** The end of the backend is the end of what ran in it. */
  @Test
  @Rule({"S-CLEAN-08", "S-SNAP-04"})
  @Scenario("R25")
  default void S_CLEAN_08_aDestroyedBackendConfirmsWhatWasRetained() throws Exception {
    kit().saving();
    kit().saving(kit().policy().releaseAnyway());
    SandboxSession session = kit().session();
    kit()
        .at(FaultPoint.KILL_BEFORE)
        .tag("a")
        .always()
        .fail(() -> new IllegalStateException("the kill fails"));
    kit().at(FaultPoint.DELETE_RETURN).answer(ReleaseOutcome.DESTROYED);
    int unused = kit().beat("a");
    Throwable thrown =
        kit()
            .run(session::close)
            .returnsWithin("S-CLEAN-05", kit().closeBound())
            .failed("S-SNAP-04");
    // The kill that failed counts no more.
    Expect.code("S-CLEAN-08", ErrorCode.SNAPSHOT_FAILED, thrown);
    kit().reapBehindTheEngine();
    kit().ownsNothing("S-CLEAN-08");
    Expect.same("S-SNAP-04", 0, kit().log().count(FaultPoint.SNAPSHOT_BEFORE), "snapshots");
  }

  /** A call that changes many files is whole in a snapshot: a stop waits for it. */
  @Test
  @Rule("S-SNAP-09")
  default void S_SNAP_09_aStopWaitsForACallThatChangesFiles() throws Exception {
    kit().saving();
    SandboxSession session = kit().session();
    Checkpoint stopped = changing(session, session::stop, true);
    Expect.same("S-SNAP-09", List.of(1L), kit().snapshots(stopped), "snapshots");
    kit().need(Capability.REATTACH);
    kit().run(session::delete).returnsWithin("S-LIFE-10", kit().closeBound()).value("S-LIFE-10");
    Expect.same("S-SNAP-09", "new", text(kit().resume(stopped), "f"), "what was saved");
  }

  /** One that does not end keeps a stop from saving, and not for ever. */
  @Test
  @Rule("S-SNAP-09")
  default void S_SNAP_09_nothingIsSavedOverACallThatChangesFiles() throws Exception {
    kit().saving();
    SandboxSession session = kit().session();
    Object unused = changing(session, session::stop, false);
    Object unusedStop =
        kit().call(session::stop).returnsWithin("S-SNAP-09", kit().closeBound()).value("S-SNAP-09");
  }

  /** Stops while a directory is being replaced, which is held up before its last step. */
  private Checkpoint changing(SandboxSession session, Callable<Checkpoint> stop, boolean ends)
      throws Exception {
    put(session, "f", "old");
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    Object unused = session.files().persist(".", List.of(), ArchiveFormat.TAR, archive);
    byte[] other =
        new String(archive.toByteArray(), ISO_8859_1).replace("old", "new").getBytes(ISO_8859_1);
    Gate gate = kit().at(FaultPoint.FILE_BEFORE).nth(2).stuck();
    Caller<?> hydrate =
        kit()
            .call(
                () ->
                    session
                        .files()
                        .hydrate(".", new ByteArrayInputStream(other), ArchiveLimits.defaults()));
    kit().eventually("S-SNAP-09", "the call is held up", () -> changes() == 2);
    Caller<Checkpoint> stopping = kit().call(stop);
    kit()
        .eventually(
            "S-SNAP-09",
            "the stop has begun",
            () -> session.state() == SessionState.CLOSING || stopping.returned());
    if (!ends) {
      Throwable thrown =
          stopping.returnsWithin("S-SNAP-09", kit().closeBound()).failed("S-SNAP-09");
      Expect.code("S-SNAP-09", ErrorCode.SNAPSHOT_FAILED, thrown);
      Expect.same("S-SNAP-09", 0, kit().log().count(FaultPoint.SNAPSHOT_BEFORE), "snapshots");
    }
    gate.open();
    Object unusedCall = hydrate.returnsWithin("S-SNAP-09", kit().closeBound()).value("S-SNAP-09");
    return ends
        ? stopping.returnsWithin("S-SNAP-09", kit().closeBound()).value("S-SNAP-09")
        : session.checkpoint();
  }

  private long changes() {
    return kit().log().calls().stream()
        .filter(call -> call.point() == FaultPoint.FILE_BEFORE)
        .filter(call -> List.of("writeTree", "replaceContent").contains(call.detail()))
        .count();
  }
}
