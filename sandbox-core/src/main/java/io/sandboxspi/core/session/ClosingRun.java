package io.sandboxspi.core.session;

import java.util.EnumMap;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;

/**
 * One run of a {@link SessionCloser}; each future completes normally or with the first failure up
 * to its step. Its fields are guarded by the closer's lock.
 */
final class ClosingRun {
  /** How far a run goes. */
  enum Goal {
    /** Processes and snapshot. */
    STOP,
    /** Up to the release. */
    SHUTDOWN,
    /** Up to the deletion. */
    CLOSE
  }

  final boolean detach;
  Goal goal;
  boolean over;
  private final Map<Goal, CompletableFuture<Boolean>> done = new EnumMap<>(Goal.class);

  /**
   * That goes so far for now.
   *
   * @param detach whether it leaves the backend in the end
   */
  ClosingRun(Goal goal, boolean detach) {
    this.goal = goal;
    this.detach = detach;
    for (Goal each : Goal.values()) {
      done.put(each, new CompletableFuture<>());
    }
  }

  CompletableFuture<Boolean> done(Goal which) {
    return Objects.requireNonNull(done.get(which));
  }

  /** Every step that is not told yet. */
  void succeed() {
    done.values().forEach(future -> future.complete(true));
  }

  /** Every step that is not told yet. */
  void fail(Throwable failure) {
    done.values().forEach(future -> future.completeExceptionally(failure));
  }
}
