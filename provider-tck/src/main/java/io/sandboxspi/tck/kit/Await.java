package io.sandboxspi.tck.kit;

import java.time.Duration;
import java.util.concurrent.Callable;
import java.util.concurrent.locks.LockSupport;

/** Looks again and again until something holds or its time is over. */
final class Await {
  private static final long STEP_NANOS = 20_000_000;

  private Await() {}

  static boolean until(Duration atMost, Callable<Boolean> condition) throws Exception {
    return until(atMost, STEP_NANOS, condition);
  }

  /** With another pause between looks, where one is dear. */
  static boolean until(Duration atMost, long stepNanos, Callable<Boolean> condition)
      throws Exception {
    long until = System.nanoTime() + atMost.toNanos();
    while (true) {
      if (condition.call()) {
        return true;
      }
      if (System.nanoTime() - until >= 0) {
        return false;
      }
      pause(stepNanos);
    }
  }

  /** Lets all of this time pass; one park may return at once. */
  static void pause(long nanos) throws InterruptedException {
    long until = System.nanoTime() + nanos;
    long left = nanos;
    do {
      LockSupport.parkNanos(left);
      if (Thread.interrupted()) {
        throw new InterruptedException();
      }
      left = until - System.nanoTime();
    } while (left > 0);
  }
}
