package io.sandboxspi.core.time;

import io.sandboxspi.Registration;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** The real clock, with one daemon timer thread for the whole engine. */
final class SystemClock implements EngineClock {
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
        timer.schedule(task, Math.max(0, EngineClock.nanos(delay)), TimeUnit.NANOSECONDS);
    return () -> future.cancel(false);
  }
}
