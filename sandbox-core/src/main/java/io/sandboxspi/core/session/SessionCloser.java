package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SessionState;
import io.sandboxspi.Snapshot;
import io.sandboxspi.core.pty.CleanupResult;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ends a session in one order: processes, snapshot, release, deletion (spec S-LIFE-03). One run at
 * a time, on the cleanup lane; who asks meanwhile joins it, and takes it further if he wants more.
 * Each step is attempted whatever the ones before came to, but for two: no snapshot is taken over a
 * process that may live, and the backend is kept while it holds what no snapshot has (spec
 * S-SNAP-02, S-SNAP-04). A later run retries what is not proven.
 */
final class SessionCloser {
  /** How far a run goes. */
  enum Goal {
    /** Processes and snapshot. */
    STOP,
    /** Up to the release. */
    SHUTDOWN,
    /** Up to the deletion. */
    CLOSE
  }

  private final SessionCore core;
  private final boolean owned;
  private final Runnable onClosed;
  private final ClosingCall<TerminationOutcome> others;
  private final ClosingCall<Snapshot> saving;
  private final ClosingCall<Boolean> detaching;
  private final ClosingCall<ReleaseOutcome> releasing;
  private final ClosingCall<ReleaseOutcome> deleting;
  private final Object lock = new Object();
  private @Nullable Run current;
  private @Nullable SnapshotAttempt attempt;
  private boolean ending;
  private boolean discarding;
  private boolean saved;
  private boolean detached;
  private boolean released;
  private boolean deleted;

  /** One run; each future completes normally or with the first failure up to its step. */
  private static final class Run {
    private final Map<Goal, CompletableFuture<Boolean>> done = new EnumMap<>(Goal.class);
    private final boolean detach;
    private Goal goal;
    private boolean over;

    private Run(Goal goal, boolean detach) {
      this.goal = goal;
      this.detach = detach;
      for (Goal each : Goal.values()) {
        done.put(each, new CompletableFuture<>());
      }
    }

    private CompletableFuture<Boolean> done(Goal which) {
      return Objects.requireNonNull(done.get(which));
    }
  }

  /**
   * For one session.
   *
   * @param owned whether the session made the backend: only then a close deletes it
   */
  SessionCloser(SessionCore core, boolean owned, Runnable onClosed) {
    this.core = core;
    this.owned = owned;
    this.onClosed = onClosed;
    ErrorCode release = ErrorCode.BACKEND_RELEASE_FAILED;
    this.others =
        new ClosingCall<>(
            core,
            Operation.STOP,
            ErrorCode.TERMINATION_UNCONFIRMED,
            "ending what others have launched");
    this.saving =
        new ClosingCall<>(
            core, Operation.SNAPSHOT, ErrorCode.SNAPSHOT_FAILED, "saving the workspace");
    this.detaching = new ClosingCall<>(core, Operation.DETACH, release, "leaving the backend");
    this.releasing = new ClosingCall<>(core, Operation.SHUTDOWN, release, "releasing the backend");
    this.deleting = new ClosingCall<>(core, Operation.DELETE, release, "deleting the backend");
    LiveLineages.add(core.recovery().lineage(), this);
  }

  /**
   * Begins or joins a run; the future is bounded by the steps' bounds. Whoever is {@link #inside()}
   * must not wait for it.
   */
  CompletableFuture<Boolean> request(Goal goal) {
    Run run;
    boolean begin = false;
    synchronized (lock) {
      // Once it was to end it is never active again, be the end proven or not.
      ending |= goal != Goal.STOP;
      if (core.gate().state() == SessionState.CLOSED && nothingLeft(goal)) {
        return CompletableFuture.completedFuture(true);
      }
      if (current != null && !current.over) {
        run = current;
        if (goal.compareTo(run.goal) > 0) {
          run.goal = goal;
        }
      } else {
        run = begin(goal, false);
        begin = true;
      }
    }
    if (goal != Goal.STOP) {
      core.end();
    }
    if (begin) {
      perform(run);
    }
    return run.done(goal);
  }

  /** As {@link #request} of a close that saves nothing more. */
  CompletableFuture<Boolean> discard() {
    synchronized (lock) {
      discarding = true;
    }
    return request(Goal.CLOSE);
  }

  /** Leaves the backend to itself, after a run that is under way. */
  CompletableFuture<Boolean> detach() {
    Run run;
    Run before = null;
    synchronized (lock) {
      if (core.gate().state() == SessionState.CLOSED) {
        return detached
            ? CompletableFuture.completedFuture(true)
            : CompletableFuture.failedFuture(Gate.closed(Operation.DETACH, SessionState.CLOSED));
      }
      if (current != null && !current.over) {
        run = current;
        before = current.detach ? null : current;
      } else {
        run = begin(Goal.STOP, true);
      }
    }
    if (before != null) {
      CompletableFuture<Boolean> over = before.done(before.goal);
      return over.handle((ok, failure) -> true).thenCompose(any -> detach());
    }
    perform(run);
    return run.done(Goal.STOP);
  }

  private Run begin(Goal goal, boolean detach) {
    Run run = new Run(goal, detach);
    current = run;
    core.gate().set(SessionState.CLOSING);
    return run;
  }

  private void perform(Run run) {
    LaneTask<Boolean> task =
        core.cleanup()
            .call(
                () -> {
                  try (Registration mark = enter()) {
                    steps(run);
                    return true;
                  }
                });
    Callback.when(
        task,
        (ok, failure) -> {
          if (failure != null) {
            end(run, false);
            fail(run, failure);
          }
        });
  }

  /** Whether a close has nothing left to do. */
  boolean isDone() {
    synchronized (lock) {
      return core.gate().state() == SessionState.CLOSED && nothingLeft(Goal.CLOSE);
    }
  }

  private boolean nothingLeft(Goal goal) {
    return core.helper().owned().isEmpty()
        && (detached || (released && (goal != Goal.CLOSE || deleted || !deletes())));
  }

  /** Whether what a checkpoint refers to may still change: no checkpoint is handed out then. */
  boolean pending() {
    return core.gate().state() == SessionState.CLOSING
        || core.helper().owned().stream().anyMatch(ProcessEntry::wasRetained);
  }

  /**
   * Where the sandbox can be resumed from.
   *
   * @param asStopped whether the caller asks for the state of its own stop, which has just
   *     succeeded
   */
  Checkpoint checkpoint(boolean asStopped) {
    synchronized (lock) {
      if (!asStopped && pending()) {
        throw LiveLineages.pending(Operation.CHECKPOINT);
      }
      boolean unchanged =
          core.recovery().store().isPresent() && (asStopped || saved || !core.gate().used());
      return core.recovery().checkpoint(core.provider().name(), core.backend().ref(), unchanged);
    }
  }

  /** Whether the calling thread is in a closing step, which never waits for itself. */
  boolean inside() {
    return core.insideClosing();
  }

  /** Marks the calling thread as being in a closing step until the mark is closed. */
  Registration enter() {
    return core.enterClosing();
  }

  private void steps(Run run) {
    ClosingFailures failures = new ClosingFailures();
    terminate(failures);
    if (run.detach) {
      detach(run, failures);
      return;
    }
    terminateOthers(failures);
    boolean definitive = save(failures);
    if (!next(run, Goal.STOP, failures)) {
      return;
    }
    if (!definitive && keepsBackend()) {
      end(run, false);
      CleanupResult.first(failures.causes()).ifPresent(failure -> fail(run, failure));
      return;
    }
    Duration limit = core.spec().timings().release();
    if (!released) {
      released = ended(releasing, releasing.run(limit, d -> core.backend().release(d)), failures);
    }
    if (!next(run, Goal.SHUTDOWN, failures)) {
      return;
    }
    if (!deleted && deletes()) {
      deleted =
          ended(
              deleting,
              deleting.run(limit, d -> core.provider().delete(core.backend().ref(), d)),
              failures);
      if (deleted) {
        core.recovery().backendGone();
      }
    }
    next(run, Goal.CLOSE, failures);
  }

  private void terminate(ClosingFailures failures) {
    List<CompletableFuture<CleanupResult>> attempts = TerminateAll.begin(core);
    try (Caller caller = Caller.enter(core.clock())) {
      core.helper().settle(attempts, caller);
    }
    for (CompletableFuture<CleanupResult> attempted : attempts) {
      CleanupResult result = attempted.join();
      result.failure().ifPresent(cause -> failures.add(cause, !result.outcome().proven()));
    }
  }

  /** What runs in a backend that more than one can be attached to is not only ours. */
  private void terminateOthers(ClosingFailures failures) {
    if (released || !core.capabilities().contains(Capability.REATTACH)) {
      return;
    }
    others.forgetEnded();
    Optional<Throwable> failure =
        others.run(core.spec().timings().kill(), deadline -> core.backend().killOthers(deadline));
    if (failure.isEmpty() && others.value() instanceof TerminationOutcome.Unconfirmed living) {
      failure = Optional.of(others.wrapped(living.cause()));
    }
    failure.ifPresent(cause -> failures.add(cause, true));
  }

  /** Saves the workspace if it is to be saved; whether nothing is left that would be lost. */
  private boolean save(ClosingFailures failures) {
    Optional<SnapshotStore> store = core.recovery().store();
    if (store.isEmpty() || saved || released || discards()) {
      return true;
    }
    if (failures.unproven() || raced()) {
      failures.add(SnapshotAttempt.failed("a process is not proven ended"), false);
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

  private boolean discards() {
    synchronized (lock) {
      return discarding;
    }
  }

  private boolean deletes() {
    return owned || discards();
  }

  private boolean keepsBackend() {
    return core.spec().snapshots().keepsBackend() && !discards();
  }

  private void detach(Run run, ClosingFailures failures) {
    if (failures.causes().isEmpty() && !detached) {
      detaching
          .run(
              core.spec().timings().release(),
              deadline -> {
                core.backend().detach(deadline);
                return true;
              })
          .ifPresentOrElse(failure -> failures.add(failure, false), () -> detached = true);
    }
    end(run, failures.causes().isEmpty());
    List<Throwable> causes = failures.causes();
    CleanupResult.first(causes)
        .ifPresentOrElse(
            failure -> fail(run, failure),
            () -> run.done.values().forEach(future -> future.complete(true)));
  }

  /** Whether a call that ends the backend ended well, and what that proves. */
  private boolean ended(
      ClosingCall<ReleaseOutcome> call, Optional<Throwable> failure, ClosingFailures failures) {
    boolean gone =
        failure.isPresent()
            && failure.get() instanceof SandboxException e
            && e.code() == ErrorCode.BACKEND_GONE;
    if (failure.isPresent() && !gone) {
      failures.add(failure.get(), false);
      return false;
    }
    if (gone || call.value().provesProcessesEnded()) {
      // The backend is destroyed: that proves the end of all that ran in it (spec S-CLEAN-08).
      try (Caller caller = Caller.enter(core.clock())) {
        core.helper().settle(core.helper().confirmAll(), caller);
      }
      failures.processesProven();
    }
    return true;
  }

  /** Tells the step's outcome; false when the run ends with it. */
  private boolean next(Run run, Goal step, ClosingFailures failures) {
    boolean last;
    List<Throwable> causes = failures.causes();
    synchronized (lock) {
      last = run.goal == step;
      if (last) {
        over(run, causes.isEmpty());
      }
    }
    if (last) {
      tellClosed();
    }
    CleanupResult.first(causes)
        .ifPresentOrElse(
            failure -> run.done(step).completeExceptionally(failure),
            () -> run.done(step).complete(true));
    return !last;
  }

  private void end(Run run, boolean clean) {
    synchronized (lock) {
      over(run, clean);
    }
    tellClosed();
  }

  /** Under the lock. */
  private void over(Run run, boolean clean) {
    run.over = true;
    if ((released || detached) && clean) {
      core.gate().set(SessionState.CLOSED);
    } else if (!ending) {
      if (attempt != null && !saved) {
        attempt.giveUp();
      }
      if (saved) {
        core.gate().unused();
      }
      attempt = null;
      saving.forget();
      saved = false;
      core.gate().set(SessionState.ACTIVE);
    }
  }

  private void tellClosed() {
    if (core.gate().state() == SessionState.CLOSED) {
      LiveLineages.remove(core.recovery().lineage(), this);
      core.end();
      onClosed.run();
    }
  }

  private static void fail(Run run, Throwable failure) {
    for (CompletableFuture<Boolean> each : run.done.values()) {
      each.completeExceptionally(failure);
    }
  }
}
