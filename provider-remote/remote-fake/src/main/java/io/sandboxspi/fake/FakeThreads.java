package io.sandboxspi.fake;

import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.atomic.AtomicLong;

/** Threads of fakes: daemons with a name. */
public final class FakeThreads {
  private static final AtomicLong NEXT = new AtomicLong();

  private FakeThreads() {}

  /** Starts one. */
  public static void start(String role, Runnable task) {
    thread(role, task).start();
  }

  private static Thread thread(String role, Runnable task) {
    Thread thread = new Thread(task, "fake-" + role + "-" + NEXT.incrementAndGet());
    thread.setDaemon(true);
    return thread;
  }

  /** As many as are needed at once; they may block. */
  public static ExecutorService pool(String role) {
    return Executors.newCachedThreadPool(task -> thread(role, task));
  }

  /** A timer; its tasks do not block. */
  public static ScheduledExecutorService timer(String role) {
    ScheduledThreadPoolExecutor timer =
        new ScheduledThreadPoolExecutor(1, task -> thread(role, task));
    timer.setRemoveOnCancelPolicy(true);
    return timer;
  }
}
