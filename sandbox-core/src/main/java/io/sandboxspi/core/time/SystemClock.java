package io.sandboxspi.core.time;

import io.sandboxspi.Registration;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The real clock, with one daemon timer thread for the whole engine. */
final class SystemClock implements EngineClock {
  private static final Logger LOG = LoggerFactory.getLogger(SystemClock.class);
  static final SystemClock INSTANCE = new SystemClock();

  private final ScheduledThreadPoolExecutor timer;

  private SystemClock() {
    timer = new ScheduledThreadPoolExecutor(1, Lane.daemon("sandbox-timer"));
    timer.setRemoveOnCancelPolicy(true);
    timer.setKeepAliveTime(10, TimeUnit.SECONDS);
    timer.allowCoreThreadTimeOut(true);
  }

  @Override
  public long nanoTime() {
    return System.nanoTime();
  }

  @Override
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  public void awaitNanos(Condition condition, long nanos) throws InterruptedException {
    condition.awaitNanos(nanos);
  }

  @Override
  public Registration schedule(Duration delay, Runnable task) {
    ScheduledFuture<?> future =
        timer.schedule(
            () -> run(task), Math.max(0, EngineClock.nanos(delay)), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }

  /** Nobody looks at the future of a timer. */
  private static void run(Runnable task) {
    try {
      task.run();
    } catch (RuntimeException | Error e) {
      LOG.error("a timer failed", e);
    }
  }
}
