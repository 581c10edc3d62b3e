package io.sandboxspi.core.time;

import io.sandboxspi.Registration;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.concurrent.locks.Condition;

/** The engine's time: real, or driven by a test. Thread-safe. */
public interface EngineClock {
  /** Nanoseconds that only go up. */
  long nanoTime();

  /**
   * Waits on a condition whose lock the caller holds, as {@link Condition#awaitNanos}, for at most
   * this time of this clock; may wake early.
   */
  void awaitNanos(Condition condition, long nanos) throws InterruptedException;

  /**
   * Runs a short task that never blocks after this time, unless the registration is closed before.
   */
  Registration schedule(Duration delay, Runnable task);

  /** A deadline on this clock. */
  default Deadline deadline(Duration duration) {
    return Deadline.after(duration, this::nanoTime);
  }

  /** For waits on what is bounded by itself. */
  default Deadline never() {
    return deadline(Duration.ofNanos(Long.MAX_VALUE / 2));
  }

  /** The duration in nanoseconds; one that is too long for that counts as for ever. */
  static long nanos(Duration duration) {
    try {
      return Math.min(duration.toNanos(), Long.MAX_VALUE / 2);
    } catch (ArithmeticException tooLong) {
      return duration.isNegative() ? 0 : Long.MAX_VALUE / 2;
    }
  }

  /** The system's monotonic clock. */
  static EngineClock system() {
    return SystemClock.INSTANCE;
  }
}
