package io.sandboxspi.remote.transport;

import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.TimeUnit;

/**
 * How often and after what pause. What the peer asks for counts, if the deadline allows it.
 *
 * @param attempts sends, the first included
 * @param first longest pause before the second; it doubles each time
 * @param most longest pause that is not the peer's wish
 */
public record RetryPolicy(int attempts, Duration first, Duration most) {
  /** Three attempts, pauses of at most 250 ms and 500 ms. */
  public static final RetryPolicy DEFAULT =
      new RetryPolicy(3, Duration.ofMillis(250), Duration.ofSeconds(5));

  /** One attempt. */
  public static final RetryPolicy NONE = new RetryPolicy(1, Duration.ZERO, Duration.ZERO);

  /** How long to wait before the next attempt; empty when there is none. */
  Optional<Duration> pause(int made, Repeat repeat, RemoteException failure, Deadline deadline) {
    if (made >= attempts || !helps(repeat, failure)) {
      return Optional.empty();
    }
    Duration wait = failure.retryAfter().orElseGet(() -> jittered(made));
    return wait.compareTo(deadline.remaining()) < 0 ? Optional.of(wait) : Optional.empty();
  }

  private static boolean helps(Repeat repeat, RemoteException failure) {
    boolean refused =
        failure.kind() == Kind.UNREACHABLE
            || failure.refusedWith(429)
            || (failure.refusedWith(503) && failure.retryAfter().isPresent());
    return switch (repeat) {
      case NEVER -> false;
      case REFUSED -> refused;
      case ALWAYS ->
          refused
              || failure.kind() == Kind.BROKEN
              || failure.refusedWith(502)
              || failure.refusedWith(503)
              || failure.refusedWith(504);
    };
  }

  /** Between half and the whole, so that many who failed together do not come back together. */
  private Duration jittered(int made) {
    long whole = first.toNanos() << Math.min(made - 1, 20);
    long limit = Math.max(2, Math.min(whole, most.toNanos()));
    return Duration.ofNanos(ThreadLocalRandom.current().nextLong(limit / 2, limit));
  }

  static void await(Duration pause) throws InterruptedException {
    boolean unused = new CountDownLatch(1).await(pause.toNanos(), TimeUnit.NANOSECONDS);
  }
}
