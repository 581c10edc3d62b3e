package io.sandboxspi.spi;

import java.time.Duration;
import java.util.function.LongSupplier;

/**
 * A point on the monotonic clock by which a call must have returned. Immutable. A call that cannot
 * finish in time throws a {@link io.sandboxspi.SandboxException}; it never goes on waiting.
 */
public final class Deadline {
  private final LongSupplier ticker;
  private final long at;

  private Deadline(LongSupplier ticker, long at) {
    this.ticker = ticker;
    this.at = at;
  }

  /** A deadline from now on the system's clock; zero and negative durations have passed already. */
  public static Deadline after(Duration duration) {
    return after(duration, System::nanoTime);
  }

  /**
   * A deadline on another clock.
   *
   * @param ticker nanoseconds that only go up, as {@link System#nanoTime()}
   */
  public static Deadline after(Duration duration, LongSupplier ticker) {
    long nanos;
    try {
      nanos = duration.toNanos();
    } catch (ArithmeticException tooLong) {
      nanos = Long.MAX_VALUE / 2;
    }
    return new Deadline(ticker, ticker.getAsLong() + Math.min(nanos, Long.MAX_VALUE / 2));
  }

  /** Nanoseconds left; 0 once it has passed. */
  public long remainingNanos() {
    return Math.max(0, at - ticker.getAsLong());
  }

  /** Time left; zero once it has passed. */
  public Duration remaining() {
    return Duration.ofNanos(remainingNanos());
  }

  /** Whether it has passed. */
  public boolean expired() {
    return at - ticker.getAsLong() <= 0;
  }

  /** Remaining time only. */
  @Override
  public String toString() {
    return "Deadline[remaining=" + remaining() + "]";
  }
}
