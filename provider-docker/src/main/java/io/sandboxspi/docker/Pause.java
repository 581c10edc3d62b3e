package io.sandboxspi.docker;

import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.spi.Deadline;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Growing pauses between questions that have no event to wait for. Not thread-safe. */
final class Pause {
  private static final long MOST_MILLIS = 200;

  private long millis = 2;

  /** Waits a little longer than the last time. */
  void next(Deadline deadline) throws InterruptedException {
    if (deadline.expired()) {
      throw new EngineException(EngineException.Kind.TIMEOUT, "it did not happen in time");
    }
    long left = TimeUnit.NANOSECONDS.toMillis(deadline.remainingNanos()) + 1;
    boolean unused = new CountDownLatch(1).await(Math.min(millis, left), TimeUnit.MILLISECONDS);
    millis = Math.min(MOST_MILLIS, millis * 2);
  }
}
