package io.sandboxspi.core.session;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.pty.CleanupResult;
import io.sandboxspi.core.session.ClosingRun.Goal;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import java.util.List;
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
  private final SessionCore core;
  private final boolean owned;
  private final Runnable onClosed;
  private final ClosingSave saving;
  private final ClosingBackend backend;
  private final Object lock = new Object();
  private @Nullable ClosingRun current;
  private boolean ending;
  private boolean discarding;

  /**
   * For one session.
   *
   * @param owned whether the session made the backend: only then a close deletes it
   */
  SessionCloser(SessionCore core, boolean owned, Runnable onClosed) {
    this.core = core;
    this.owned = owned;
    this.onClosed = onClosed;
    this.saving = new ClosingSave(core);
    this.backend = new ClosingBackend(core);
    LiveLineages.add(core.recovery().lineage(), this);
  }

  /**
   * Begins or joins a run; the future is bounded by the steps' bounds. Whoever is {@link #inside()}
   * must not wait for it.
   */
  CompletableFuture<Boolean> request(Goal goal) {
    ClosingRun run;
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
    ClosingRun run;
    ClosingRun before = null;
    synchronized (lock) {
      if (core.gate().state() == SessionState.CLOSED) {
        return backend.detached()
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

  private ClosingRun begin(Goal goal, boolean detach) {
    ClosingRun run = new ClosingRun(goal, detach);
    current = run;
    core.gate().set(SessionState.CLOSING);
    return run;
  }

  private void perform(ClosingRun run) {
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
            run.fail(failure);
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
        && (backend.detached()
            || (backend.released() && (goal != Goal.CLOSE || backend.deleted() || !deletes())));
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
          core.recovery().store().isPresent()
              && (asStopped || saving.saved() || !core.gate().used());
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

  private void steps(ClosingRun run) {
    ClosingFailures failures = new ClosingFailures();
    terminate(failures);
    if (run.detach) {
      detach(run, failures);
      return;
    }
    if (!vanishes(run)) {
      backend.endOthers(failures);
    }
    boolean definitive = backend.released() || discards() || saving.save(failures);
    if (!next(run, Goal.STOP, failures)) {
      return;
    }
    if (!definitive && keepsBackend()) {
      end(run, false);
      CleanupResult.first(failures.causes()).ifPresent(failure -> run.fail(failure));
      return;
    }
    backend.release(failures);
    if (!next(run, Goal.SHUTDOWN, failures)) {
      return;
    }
    if (deletes()) {
      backend.delete(failures);
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

  /** Whether the backend goes next and nothing is taken from it before: that ends all in it. */
  private boolean vanishes(ClosingRun run) {
    synchronized (lock) {
      return run.goal == Goal.CLOSE && (discarding || (owned && core.recovery().store().isEmpty()));
    }
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

  private void detach(ClosingRun run, ClosingFailures failures) {
    if (failures.causes().isEmpty()) {
      backend.detach(failures);
    }
    end(run, failures.causes().isEmpty());
    List<Throwable> causes = failures.causes();
    CleanupResult.first(causes).ifPresentOrElse(failure -> run.fail(failure), run::succeed);
  }

  /** Tells the step's outcome; false when the run ends with it. */
  private boolean next(ClosingRun run, Goal step, ClosingFailures failures) {
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

  private void end(ClosingRun run, boolean clean) {
    synchronized (lock) {
      over(run, clean);
    }
    tellClosed();
  }

  /** Under the lock. */
  private void over(ClosingRun run, boolean clean) {
    run.over = true;
    if ((backend.released() || backend.detached()) && clean) {
      core.gate().set(SessionState.CLOSED);
    } else if (!ending) {
      if (saving.saved()) {
        core.gate().unused();
      }
      saving.next();
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
}
