package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Snapshot;
import io.sandboxspi.core.pty.CleanupResult;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SnapshotStore;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The step that saves the workspace: not over a process that may live, nor in the middle of a file
 * call (specs S-SNAP-02, S-SNAP-09). Used by one closing run at a time.
 */
final class ClosingSave {
  private final SessionCore core;
  private final ClosingCall<Snapshot> saving;
  private @Nullable SnapshotAttempt attempt;
  private boolean saved;

  ClosingSave(SessionCore core) {
    this.core = core;
    this.saving =
        new ClosingCall<>(
            core, Operation.SNAPSHOT, ErrorCode.SNAPSHOT_FAILED, "saving the workspace");
  }

  /** Whether the workspace is saved as it is. */
  boolean saved() {
    return saved;
  }

  /** Saves the workspace if it is to be saved; whether nothing is left that would be lost. */
  boolean save(ClosingFailures failures) {
    Optional<SnapshotStore> store = core.recovery().store();
    if (store.isEmpty() || saved) {
      return true;
    }
    if (failures.unproven() || raced()) {
      failures.add(SnapshotAttempt.failed("a process is not proven ended"), false);
      return false;
    }
    if (changing()) {
      failures.add(SnapshotAttempt.failed("a call that changes files is under way"), false);
      return false;
    }
    SessionEvents.Span span = core.events().begin(Operation.SNAPSHOT, core.recovery().lineage());
    SnapshotAttempt before = attempt;
    SnapshotAttempt mine =
        before != null && saving.joins() ? before : new SnapshotAttempt(core, store.get());
    attempt = mine;
    Optional<Throwable> failure = saving.run(core.spec().snapshots().timeout(), mine::run);
    if (failure.isPresent()) {
      span.failed(failure.get(), false);
      failures.add(failure.get(), false);
      return false;
    }
    span.succeeded();
    saved = true;
    return true;
  }

  /** Whether a start that raced the closing may have left a process that is not proven ended. */
  private boolean raced() {
    List<CompletableFuture<CleanupResult>> late = core.end(core.helper().owned());
    try (Caller caller = Caller.enter(core.clock())) {
      core.helper().settle(late, caller);
    }
    return late.stream().anyMatch(each -> !each.join().outcome().proven());
  }

  /** Whether a call that changes files does not end: no new one begins in a closing step. */
  private boolean changing() {
    try (Caller caller = Caller.enter(core.clock())) {
      Deadline bound = core.clock().deadline(core.spec().timings().kill());
      return caller.settle(core.changes().none(), bound) != Caller.Wait.DONE;
    }
  }

  /** The session goes on: what was not saved by now never is, and the next save is another. */
  void next() {
    if (attempt != null && !saved) {
      attempt.giveUp();
    }
    attempt = null;
    saving.forget();
    saved = false;
  }
}
