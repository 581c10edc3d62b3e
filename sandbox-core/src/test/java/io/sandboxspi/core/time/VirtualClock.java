package io.sandboxspi.core.time;

import io.sandboxspi.Registration;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;

/** Time that moves only when a test says so. */
public final class VirtualClock implements EngineClock {
  private final Object lock = new Object();
  private final List<Timer> timers = new ArrayList<>();
  private volatile long now = 1;

  private record Timer(long due, Runnable task) {}

  @Override
  public long nanoTime() {
    return now;
  }

  @Override
  @SuppressWarnings("WaitNotInLoop") // the caller loops
  public void awaitNanos(Condition condition, long nanos) throws InterruptedException {
    // A condition cannot be signalled without its lock, which only the waiter knows: look often.
    condition.await(1, TimeUnit.MILLISECONDS);
  }

  @Override
  public Registration schedule(Duration delay, Runnable task) {
    Timer timer = new Timer(now + delay.toNanos(), task);
    synchronized (lock) {
      timers.add(timer);
    }
    return () -> {
      synchronized (lock) {
        timers.remove(timer);
      }
    };
  }

  /** Moves on, running what is due in order. */
  public void advance(Duration step) {
    long target = now + step.toNanos();
    while (true) {
      Timer next;
      synchronized (lock) {
        next =
            timers.stream()
                .filter(t -> t.due <= target)
                .min(Comparator.comparingLong(Timer::due))
                .orElse(null);
        if (next == null) {
          now = target;
          return;
        }
        timers.remove(next);
        now = Math.max(now, next.due);
      }
      next.task.run();
    }
  }

  /** Whether a timer is due within this time. */
  public boolean dueWithin(Duration time) {
    synchronized (lock) {
      return timers.stream().anyMatch(timer -> timer.due - now <= time.toNanos());
    }
  }

  /** How many timers are armed. */
  public int armed() {
    synchronized (lock) {
      return timers.size();
    }
  }
}
