package io.sandboxspi.core.pty;

import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Runs short tasks one after another on one thread of a lane, because a thread for each costs more
 * than they do. One that takes long keeps no other: after {@link #PATIENCE} those that wait get
 * threads of their own. Thread-safe.
 */
final class ShortTasks {
  /** How long a task may wait for those before it. */
  static final Duration PATIENCE = Duration.ofMillis(10);

  private final Lane lane;
  private final EngineClock clock;
  private final Object lock = new Object();
  private Queue<Task> waiting = new ArrayDeque<>();
  private @Nullable Worker worker;
  private boolean watched;

  /** A task that has not begun. */
  private record Task(Runnable action, CompletableFuture<Boolean> done) {
    boolean run() {
      try {
        action.run();
        done.complete(true);
      } catch (Throwable failure) { // carried to whoever joins
        done.completeExceptionally(failure);
      }
      return true;
    }
  }

  /** Works through the queue unless it is given up meanwhile. */
  private final class Worker {
    boolean work() {
      for (Task task = next(this); task != null; task = next(this)) {
        task.run();
      }
      return true;
    }
  }

  ShortTasks(Lane lane, EngineClock clock) {
    this.lane = lane;
    this.clock = clock;
  }

  /** Runs a task; the answer completes with what it threw, if anything. */
  CompletableFuture<Boolean> run(Runnable action) {
    Task task = new Task(action, new CompletableFuture<>());
    Worker fresh = null;
    boolean watch;
    synchronized (lock) {
      waiting.add(task);
      if (worker == null) {
        fresh = new Worker();
        worker = fresh;
      }
      watch = fresh == null && !watched;
      watched |= watch;
    }
    if (fresh != null) {
      Callback.when(
          lane.call(fresh::work),
          (ok, noThread) -> {
            if (noThread != null) {
              takeAll().forEach(each -> each.done().completeExceptionally(noThread));
            }
          });
    } else if (watch) {
      clock.schedule(PATIENCE, this::rescue);
    }
    return task.done();
  }

  private @Nullable Task next(Worker asking) {
    synchronized (lock) {
      if (worker != asking) {
        return null;
      }
      Task next = waiting.poll();
      worker = next == null ? null : worker;
      return next;
    }
  }

  /** Gives up the worker that has not come to these yet. */
  private void rescue() {
    for (Task task : takeAll()) {
      Callback.when(
          lane.call(task::run),
          (ok, noThread) -> {
            if (noThread != null) {
              task.done().completeExceptionally(noThread);
            }
          });
    }
  }

  private List<Task> takeAll() {
    synchronized (lock) {
      List<Task> all = new ArrayList<>(waiting);
      waiting = new ArrayDeque<>();
      watched = false;
      worker = all.isEmpty() ? worker : null;
      return all;
    }
  }
}
