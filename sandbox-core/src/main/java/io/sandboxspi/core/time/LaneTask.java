package io.sandboxspi.core.time;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A call on a {@link Lane}; completes with exactly what the call threw. Thread-safe. */
public final class LaneTask<T> extends CompletableFuture<T> {
  private @Nullable Thread runner;
  private boolean interrupted;

  LaneTask() {}

  void run(Callable<T> task) {
    synchronized (this) {
      runner = Thread.currentThread();
      if (interrupted) {
        runner.interrupt();
      }
    }
    T value;
    try {
      value = task.call();
    } catch (Throwable failure) { // carried to whoever joins
      settle();
      completeExceptionally(failure);
      return;
    }
    settle();
    complete(value);
  }

  /** The thread is used again: an interrupt meant for this task must not reach the next. */
  private synchronized void settle() {
    runner = null;
    interrupted = Thread.interrupted();
  }

  /** Interrupts the call if it runs or is about to; it still completes when the call returns. */
  public synchronized void interrupt() {
    interrupted = true;
    if (runner != null) {
      runner.interrupt();
    }
  }
}
