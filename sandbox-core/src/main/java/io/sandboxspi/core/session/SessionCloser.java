package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.pty.CleanupResult;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Ends a session in one order: processes, release, deletion (spec S-LIFE-03). One run at a time, on
 * the cleanup lane; who asks meanwhile joins it, and takes it further if he wants more. Each step
 * is attempted whatever the ones before came to. A later run retries what is not proven.
 */
final class SessionCloser {
  /** How far a run goes. */
  enum Goal {
    /** Processes. */
    STOP,
    /** Processes and release. */
    SHUTDOWN,
    /** Processes, release and deletion. */
    CLOSE
  }

  private final SessionCore core;
  private final boolean owned;
  private final Runnable onClosed;
  private final Map<Operation, LaneTask<ReleaseOutcome>> calls = new EnumMap<>(Operation.class);
  private final Object lock = new Object();
  private @Nullable Run current;
  private boolean ending;
  private boolean released;
  private boolean deleted;

  /** One run; each future completes normally or with the first failure up to its step. */
  private static final class Run {
    private final Map<Goal, CompletableFuture<Boolean>> done = new EnumMap<>(Goal.class);
    private Goal goal;
    private boolean over;

    private Run(Goal goal) {
      this.goal = goal;
      for (Goal each : Goal.values()) {
        done.put(each, new CompletableFuture<>());
      }
    }

    private CompletableFuture<Boolean> done(Goal which) {
      return Objects.requireNonNull(done.get(which));
    }
  }

  SessionCloser(SessionCore core, boolean owned, Runnable onClosed) {
    this.core = core;
    this.owned = owned;
    this.onClosed = onClosed;
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
        run = new Run(goal);
        current = run;
        begin = true;
        core.gate().set(SessionState.CLOSING);
      }
    }
    if (goal != Goal.STOP) {
      core.end();
    }
    if (begin) {
      LaneTask<Boolean> task = core.cleanup().call(() -> perform(run));
      Callback.when(
          task,
          (ok, failure) -> {
            if (failure != null) {
              abandon(run, failure);
            }
          });
    }
    return run.done(goal);
  }

  /** Whether a close has nothing left to do. */
  boolean isDone() {
    synchronized (lock) {
      return core.gate().state() == SessionState.CLOSED && nothingLeft(Goal.CLOSE);
    }
  }

  private boolean nothingLeft(Goal goal) {
    return core.helper().owned().isEmpty() && released && (goal != Goal.CLOSE || !owned || deleted);
  }

  /** Whether the calling thread is in a closing step, which never waits for itself. */
  boolean inside() {
    return core.insideClosing();
  }

  /** Marks the calling thread as being in a closing step until the mark is closed. */
  Registration enter() {
    return core.enterClosing();
  }

  private boolean perform(Run run) {
    try (Registration mark = enter()) {
      steps(run);
      return true;
    }
  }

  private void steps(Run run) {
    Failures failures = new Failures();
    terminate(failures);
    if (!next(run, Goal.STOP, failures)) {
      return;
    }
    if (!released) {
      step(
          Operation.SHUTDOWN,
          "releasing the backend",
          deadline -> core.backend().release(deadline),
          failures,
          () -> released = true);
    }
    if (!next(run, Goal.SHUTDOWN, failures)) {
      return;
    }
    if (owned && !deleted) {
      step(
          Operation.DELETE,
          "deleting the backend",
          deadline -> core.provider().delete(core.backend().ref(), deadline),
          failures,
          () -> deleted = true);
    }
    next(run, Goal.CLOSE, failures);
  }

  /**
   * Failures in order; those of a kill go when the backend's end has proven the processes ended.
   */
  private static final class Failures {
    private record Failure(Throwable cause, boolean unproven) {}

    private final List<Failure> all = new ArrayList<>();

    void add(Throwable cause, boolean unproven) {
      all.add(new Failure(cause, unproven));
    }

    void processesProven() {
      all.removeIf(Failure::unproven);
    }

    List<Throwable> causes() {
      return all.stream().map(Failure::cause).toList();
    }
  }

  private void terminate(Failures failures) {
    List<CompletableFuture<CleanupResult>> attempts = TerminateAll.begin(core);
    try (Caller caller = Caller.enter(core.clock())) {
      core.helper().settle(attempts, caller);
    }
    for (CompletableFuture<CleanupResult> attempt : attempts) {
      CleanupResult result = attempt.join();
      result.failure().ifPresent(cause -> failures.add(cause, !result.outcome().proven()));
    }
  }

  /** Tells the step's outcome; false when the run ends with it. */
  private boolean next(Run run, Goal step, Failures failures) {
    boolean last;
    List<Throwable> causes = failures.causes();
    synchronized (lock) {
      last = run.goal == step;
      if (last) {
        run.over = true;
        if (!ending) {
          core.gate().set(SessionState.ACTIVE);
        } else if (causes.isEmpty() && released) {
          core.gate().set(SessionState.CLOSED);
        }
      }
    }
    if (last && core.gate().state() == SessionState.CLOSED) {
      onClosed.run();
    }
    CleanupResult.first(causes)
        .ifPresentOrElse(
            failure -> run.done(step).completeExceptionally(failure),
            () -> run.done(step).complete(true));
    return !last;
  }

  private void abandon(Run run, Throwable failure) {
    synchronized (lock) {
      run.over = true;
    }
    for (Goal each : Goal.values()) {
      run.done(each).completeExceptionally(failure);
    }
  }

  /** A call that ends the backend. */
  private interface BackendCall {
    ReleaseOutcome run(Deadline deadline) throws InterruptedException;
  }

  private LaneTask<ReleaseOutcome> begin(BackendCall call, Deadline deadline) {
    return core.cleanup()
        .call(
            () -> {
              try (Registration mark = enter()) {
                return call.run(deadline);
              }
            });
  }

  private void step(
      Operation operation, String what, BackendCall call, Failures failures, Runnable onSuccess) {
    Duration limit = core.spec().timings().release();
    Deadline deadline = core.clock().deadline(limit);
    // One that is stuck from a run before is joined; if it ended well meanwhile, that counts.
    LaneTask<ReleaseOutcome> before = calls.get(operation);
    LaneTask<ReleaseOutcome> task =
        before != null && !before.isCompletedExceptionally() ? before : begin(call, deadline);
    calls.put(operation, task);
    CompletableFuture<Throwable> failed = new CompletableFuture<>();
    Registration timer =
        core.clock().schedule(limit, () -> failed.complete(timeout(operation, what, limit)));
    CompletableFuture<Object> either = CompletableFuture.anyOf(task, failed);
    try (Caller caller = Caller.enter(core.clock())) {
      caller.settle(either, core.clock().never());
    }
    timer.close();
    if (!task.isDone()) {
      task.interrupt();
      failures.add(failed.join(), false);
      return;
    }
    Throwable failure = task.handle((outcome, thrown) -> thrown).join();
    if (failure == null) {
      onSuccess.run();
      if (task.join().provesProcessesEnded()) {
        confirm(failures);
      }
    } else if (failure instanceof SandboxException e && e.code() == ErrorCode.BACKEND_GONE) {
      onSuccess.run();
      confirm(failures);
    } else {
      failures.add(wrapped(operation, what, failure), false);
    }
  }

  /** The backend is destroyed: that proves the end of all that ran in it (spec S-CLEAN-08). */
  private void confirm(Failures failures) {
    try (Caller caller = Caller.enter(core.clock())) {
      core.helper().settle(core.helper().confirmAll(), caller);
    }
    failures.processesProven();
  }

  private static SandboxException timeout(Operation operation, String what, Duration limit) {
    return SandboxException.builder(
            ErrorCode.BACKEND_RELEASE_FAILED, operation, what + " did not end in " + limit)
        .retryable(Retryable.YES)
        .build();
  }

  private static Throwable wrapped(Operation operation, String what, Throwable failure) {
    return failure instanceof SandboxException
        ? failure
        : SandboxException.builder(ErrorCode.BACKEND_RELEASE_FAILED, operation, what + " failed")
            .cause(failure)
            .retryable(Retryable.UNKNOWN)
            .build();
  }
}
