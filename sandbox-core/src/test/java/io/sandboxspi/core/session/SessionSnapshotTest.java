package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.Snapshot;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class SessionSnapshotTest {
  private static final CleanupTimings SHORT =
      new CleanupTimings(
          Duration.ofMillis(300),
          Duration.ofMillis(100),
          Duration.ofMillis(100),
          Duration.ofMillis(500));

  private final SavingProvider provider = new SavingProvider();
  private final String space = UUID.randomUUID().toString();
  private final CountDownLatch lifted = new CountDownLatch(1);
  private SnapshotPolicy policy =
      SnapshotPolicy.in(MemorySnapshots.NAME).option(MemorySnapshots.SPACE, space);

  @AfterEach
  void forget() {
    lifted.countDown();
    MemorySnapshots.clear(space);
  }

  private SandboxSpec spec() {
    return SandboxSpec.builder().timings(SHORT).snapshots(policy).build();
  }

  private EngineSession open() throws InterruptedException {
    return EngineSession.open(provider, spec(), EngineOptions.defaults());
  }

  private EngineSession resume(Checkpoint checkpoint) throws InterruptedException {
    return EngineSession.resume(provider, checkpoint, spec(), false, EngineOptions.defaults());
  }

  private static void refused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SandboxException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private List<String> calls(String... kinds) {
    List<String> kept = new ArrayList<>(provider.calls);
    kept.retainAll(List.of(kinds));
    return kept;
  }

  private static long sequence(Checkpoint checkpoint) {
    return checkpoint.snapshot().map(Snapshot::sequence).orElse(0L);
  }

  @Test
  @Tag("S-SNAP-01")
  void aStopSavesAndTheSessionGoesOn() throws Exception {
    EngineSession session = open();
    provider.put("a", "1");
    Checkpoint first = session.stop();
    assertThat(sequence(first)).isEqualTo(1);
    assertThat(first.oldest()).isEqualTo(1);
    assertThat(first.backend()).contains(session.backend());
    assertThat(session.state()).isEqualTo(SessionState.ACTIVE);
    session.files().write("b", new byte[] {1});
    assertThat(session.checkpoint().oldest()).as("changed since").isEqualTo(2);
    assertThat(sequence(session.stop())).isEqualTo(2);
    session.close();
    assertThat(session.checkpoint().backend()).isEmpty();
    assertThat(session.checkpoint().oldest()).isEqualTo(3);
    assertThat(calls("archive", "release", "delete"))
        .containsExactly("archive", "archive", "archive", "release", "delete");
  }

  @Test
  @Tag("S-SNAP-02")
  void whatOthersRunIsNotSavedOverAndTheReasonIsTyped() throws Exception {
    EngineSession session = open();
    IllegalStateException reason = new IllegalStateException("no answer");
    provider.others = TerminationOutcome.unconfirmed(reason);
    assertThatThrownBy(session::stop)
        .hasCause(reason)
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> assertThat(e.code()).isEqualTo(ErrorCode.TERMINATION_UNCONFIRMED));
    assertThat(calls("archive")).isEmpty();
    provider.others = TerminationOutcome.confirmed();
    assertThat(sequence(session.stop())).isEqualTo(1);
    session.close();
  }

  @Test
  @Tag("S-SNAP-01")
  void withoutAStoreNothingIsSaved() throws Exception {
    policy = SnapshotPolicy.none();
    EngineSession session = open();
    assertThat(session.stop().snapshot()).isEmpty();
    session.close();
    assertThat(calls("archive")).isEmpty();
  }

  @Test
  @Tag("S-SNAP-02")
  void nothingIsSavedOverAProcessThatMayLiveAndTheBackendIsKept() throws Exception {
    EngineSession session = open();
    AtomicBoolean stuck = new AtomicBoolean(true);
    provider.onKill =
        id -> {
          if (stuck.get()) {
            FakeProvider.stuck(new CountDownLatch(1), lifted);
          }
        };
    session.ptys().start(PtyRequest.of("x").collectFor(Duration.ofMillis(250)));
    refused(ErrorCode.TERMINATION_UNCONFIRMED, session::stop);
    assertThat(session.state()).isEqualTo(SessionState.ACTIVE);
    refused(ErrorCode.CHECKPOINT_PENDING, session::checkpoint);
    refused(ErrorCode.TERMINATION_UNCONFIRMED, session::close);
    assertThat(calls("archive", "release", "delete")).isEmpty();
    assertThat(session.state()).isEqualTo(SessionState.CLOSING);
    stuck.set(false);
    lifted.countDown();
    session.close();
    assertThat(calls("archive", "release", "delete"))
        .containsExactly("archive", "release", "delete");
    assertThat(session.checkpoint().oldest()).isEqualTo(1);
  }

  @Test
  @Tag("S-SNAP-04")
  void aBackendIsKeptUntilItsSnapshotIsDefinitive() throws Exception {
    EngineSession session = open();
    Checkpoint early = session.stop();
    provider.put("a", "new");
    IllegalStateException failure = new IllegalStateException("the disk is full");
    provider.onArchive =
        id -> {
          throw failure;
        };
    assertThatThrownBy(session::close).hasCause(failure);
    refused(ErrorCode.CHECKPOINT_PENDING, session::checkpoint);
    refused(ErrorCode.CHECKPOINT_PENDING, () -> resume(early));
    assertThat(calls("release", "delete", "attach")).isEmpty();
    provider.onArchive = id -> {};
    session.close();
    session.close();
    assertThat(calls("archive", "release", "delete"))
        .containsExactly("archive", "archive", "archive", "release", "delete");
    try (EngineSession again = resume(session.checkpoint())) {
      assertThat(provider.text("a")).isEqualTo("new");
      assertThat(again.state()).isEqualTo(SessionState.ACTIVE);
    }
    resume(early).delete();
  }

  @Test
  @Tag("S-SNAP-04")
  void oneThatFailedAtItsEndIsTakenAnew() throws Exception {
    policy = policy.option("unknown", "x");
    refused(ErrorCode.INVALID_ARGUMENT, this::open);
    assertThat(provider.calls).isEmpty();
    policy = SnapshotPolicy.in(FailingSnapshots.NAME).option(MemorySnapshots.SPACE, space);
    FailingSnapshots.FAILURES.set(1);
    EngineSession session = open();
    provider.put("a", "1");
    refused(ErrorCode.SNAPSHOT_FAILED, session::close);
    session.close();
    EngineSession again = resume(session.checkpoint());
    assertThat(provider.text("a")).isEqualTo("1");
    again.delete();
  }

  @Test
  @Tag("S-SNAP-04")
  void aPolicyMayGiveTheBackendUp() throws Exception {
    policy = policy.releaseAnyway();
    EngineSession session = open();
    provider.onArchive =
        id -> {
          throw new IllegalStateException("the disk is full");
        };
    refused(ErrorCode.SNAPSHOT_FAILED, session::close);
    assertThat(calls("release", "delete")).containsExactly("release", "delete");
  }

  @Test
  @Tag("S-SNAP-05")
  void aSnapshotThatIsLateIsDroppedWhenTheSessionHasGoneOn() throws Exception {
    policy = policy.timeout(Duration.ofMillis(100));
    EngineSession session = open();
    provider.put("a", "1");
    AtomicReference<Thread> reader = new AtomicReference<>();
    provider.onArchive =
        id -> {
          reader.set(Thread.currentThread());
          FakeProvider.stuck(new CountDownLatch(1), lifted);
        };
    refused(ErrorCode.SNAPSHOT_FAILED, session::stop);
    assertThat(session.state()).isEqualTo(SessionState.ACTIVE);
    provider.onArchive = id -> {};
    lifted.countDown();
    Within.until(
        () ->
            Arrays.stream(reader.get().getStackTrace())
                .noneMatch(frame -> frame.getClassName().contains("SnapshotAttempt")));
    assertThat(saved(session)).isEmpty();
    assertThat(sequence(session.stop())).isEqualTo(1);
    assertThat(saved(session)).hasSize(1);
    session.delete();
  }

  private List<Snapshot> saved(EngineSession session) throws InterruptedException {
    return new MemorySnapshots()
        .open(policy.options())
        .list(session.id(), Deadline.after(Duration.ofSeconds(5)));
  }

  @Test
  @Tag("S-SNAP-05")
  void aLateSnapshotOfASessionThatIsClosingCounts() throws Exception {
    policy = policy.timeout(Duration.ofMillis(100));
    EngineSession session = open();
    provider.onArchive = id -> FakeProvider.stuck(new CountDownLatch(1), lifted);
    refused(ErrorCode.SNAPSHOT_FAILED, session::close);
    assertThat(calls("release", "delete")).isEmpty();
    lifted.countDown();
    Within.until(
        () -> {
          try {
            session.close();
            return true;
          } catch (SandboxException late) {
            return false;
          }
        });
    assertThat(calls("archive", "release", "delete"))
        .containsExactly("archive", "release", "delete");
  }

  @Test
  @Tag("S-LIFE-10")
  void aDeletionSavesNothingAndWhatWasSavedStays() throws Exception {
    EngineSession session = open();
    provider.put("a", "1");
    Checkpoint saved = session.stop();
    session.files().write("a", new byte[] {'2'});
    session.delete();
    assertThat(calls("archive")).hasSize(1);
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> resume(session.checkpoint()));
    resume(saved).delete();
  }

  @Test
  @Tag("S-LIFE-10")
  void aDeletionEndsWhatAFailedCloseLeft() throws Exception {
    EngineSession session = open();
    provider.onArchive =
        id -> {
          throw new IllegalStateException("the disk is full");
        };
    refused(ErrorCode.SNAPSHOT_FAILED, session::close);
    session.delete();
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    assertThat(calls("release", "delete")).containsExactly("release", "delete");
  }

  @Test
  @Tag("S-LIFE-11")
  void aDetachedBackendLivesAndTheSessionIsClosed() throws Exception {
    EngineSession session = open();
    provider.put("a", "1");
    session.ptys().start(PtyRequest.of("x").collectFor(Duration.ofMillis(250)));
    Checkpoint checkpoint = session.detach();
    assertThat(session.detach()).isEqualTo(checkpoint);
    assertThat(session.state()).isEqualTo(SessionState.CLOSED);
    session.close();
    assertThat(calls("kill", "archive", "detach", "release", "delete"))
        .containsExactly("kill", "detach");
    try (EngineSession again = resume(checkpoint)) {
      assertThat(again.files().read("a")).isEqualTo(new byte[] {'1'});
    }
  }

  @Test
  @Tag("S-LIFE-11")
  void aDetachWaitsForAStopAndAFailedOneCanBeRepeated() throws Exception {
    EngineSession session = open();
    CountDownLatch reading = new CountDownLatch(1);
    provider.onArchive = id -> FakeProvider.stuck(reading, lifted);
    CompletableFuture<Checkpoint> stop = Within.start(session::stop).result();
    Within.await(reading);
    CompletableFuture<Checkpoint> detach = Within.start(session::detach).result();
    assertThat(calls("detach")).isEmpty();
    lifted.countDown();
    assertThat(sequence(Within.get(stop))).isEqualTo(1);
    assertThat(sequence(Within.get(detach))).isEqualTo(1);
    assertThat(calls("archive", "detach")).containsExactly("archive", "detach");
  }

  @Test
  @Tag("S-LIFE-05")
  void aStopFromInsideAClosingStepIsNotedAndRefused() throws Exception {
    EngineSession session = open();
    AtomicBoolean refused = new AtomicBoolean();
    provider.onRelease =
        id -> {
          try {
            Object unused = session.stop();
          } catch (SandboxException e) {
            refused.set(e.code() == ErrorCode.CHECKPOINT_PENDING);
          }
        };
    session.close();
    assertThat(refused).isTrue();
  }

  @Test
  @Tag("S-RESUME-02")
  void aLiveBackendIsAttachedToAndAGoneOneIsMadeAgain() throws Exception {
    EngineSession session = open();
    provider.put("a", "1");
    Checkpoint checkpoint = session.stop();
    session.shutdown();
    EngineSession second = resume(checkpoint);
    assertThat(calls("create", "attach", "fill")).containsExactly("create", "attach");
    second.close();
    assertThat(calls("delete")).as("not made by this session").isEmpty();
    EngineSession last = resume(checkpoint);
    last.delete();
    EngineSession third = resume(checkpoint);
    assertThat(calls("create", "attach", "fill", "switch"))
        .containsExactly("create", "attach", "attach", "attach", "create", "fill", "switch");
    assertThat(provider.text("a")).isEqualTo("1");
    third.delete();
  }

  @Test
  @Tag("S-RESUME-03")
  void aBackendThatCannotBeReachedIsNeverReplaced() throws Exception {
    EngineSession session = open();
    Checkpoint checkpoint = session.stop();
    session.shutdown();
    provider.attachFails =
        java.util.Optional.of(
            SandboxException.of(ErrorCode.TRANSPORT, Operation.RESUME, "no route"));
    assertThatThrownBy(() -> resume(checkpoint))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).isEqualTo(ErrorCode.BACKEND_UNREACHABLE);
              assertThat(e.retryable()).isEqualTo(io.sandboxspi.Retryable.YES);
            });
    provider.attachFails = java.util.Optional.of(new IllegalStateException("a defect"));
    refused(ErrorCode.BACKEND_UNREACHABLE, () -> resume(checkpoint));
    assertThat(calls("create", "fill")).containsExactly("create");
    provider.attachFails = java.util.Optional.empty();
    resume(checkpoint).close();
  }

  @Test
  @Tag("S-RESUME-01")
  void aCheckpointOfAnotherProviderIsRefused() throws Exception {
    refused(ErrorCode.CHECKPOINT_FOREIGN, () -> resume(Checkpoint.of("other", "x", 0)));
    assertThat(provider.calls).isEmpty();
  }

  @Test
  @Tag("S-SNAP-06")
  @Tag("S-RESUME-02")
  void eachSnapshotComesBackAsItWasAndAPrunedOneAsTheNextNewer() throws Exception {
    policy = policy.keep(2);
    EngineSession session = open();
    List<Checkpoint> checkpoints = new ArrayList<>();
    for (int i = 1; i <= 3; i++) {
      provider.put("a", "" + i);
      checkpoints.add(session.stop());
    }
    session.delete();
    for (int pass = 0; pass < 2; pass++) {
      for (int i = 1; i <= 3; i++) {
        EngineSession again = resume(checkpoints.get(i - 1));
        assertThat(provider.text("a")).isEqualTo("" + Math.max(2, i));
        again.delete();
      }
    }
  }

  @Test
  @Tag("S-RESUME-02")
  void aSnapshotThatIsOlderThanTheCheckpointIsRefused() throws Exception {
    EngineSession session = open();
    session.stop();
    session.files().write("a", new byte[] {1});
    Checkpoint changed = session.checkpoint();
    session.delete();
    refused(ErrorCode.SNAPSHOT_NOT_FOUND, () -> resume(changed));
    assertThat(calls("create")).hasSize(1);
  }

  @Test
  @Tag("S-RESUME-04")
  void aWorkspaceIsPutBackAndOneThatIsAsItWasIsNotTouched() throws Exception {
    EngineSession session = open();
    provider.put("a", "1");
    Checkpoint checkpoint = session.stop();
    session.shutdown();
    EngineSession same =
        EngineSession.resume(provider, checkpoint, spec(), true, EngineOptions.defaults());
    assertThat(calls("fill")).isEmpty();
    same.shutdown();
    provider.put("a", "2");
    provider.put("b", "3");
    EngineSession back =
        EngineSession.resume(provider, checkpoint, spec(), true, EngineOptions.defaults());
    assertThat(calls("fill", "switch")).containsExactly("fill", "switch");
    assertThat(provider.work.keySet()).containsExactly("a");
    assertThat(provider.text("a")).isEqualTo("1");
    back.delete();
  }

  @Test
  @Tag("S-RESUME-06")
  void aReplacementThatCannotBeFilledIsRemoved() throws Exception {
    EngineSession session = open();
    provider.put("a", "1");
    session.close();
    Checkpoint checkpoint = session.checkpoint();
    provider.onFill =
        id -> {
          throw new IllegalStateException("no space");
        };
    assertThatThrownBy(() -> resume(checkpoint)).isInstanceOf(SandboxException.class);
    assertThat(calls("create", "fill", "release", "delete"))
        .containsExactly("create", "release", "delete", "create", "fill", "release", "delete");
    provider.onFill = id -> {};
    resume(checkpoint).delete();
  }
}
