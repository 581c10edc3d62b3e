package io.sandboxspi.remote.transport;

import io.sandboxspi.Registration;
import io.sandboxspi.core.time.EngineClock;
import java.time.Duration;

/** Calls once when nothing has happened for a time. Thread-safe. */
final class IdleWatch {
  private final long limit;
  private final Runnable idle;
  private volatile long last = System.nanoTime();
  private volatile boolean suspended;
  private volatile boolean closed;
  private volatile Registration next = () -> {};

  /**
   * Begins.
   *
   * @param idle quick; called on a timer's thread
   */
  IdleWatch(Duration limit, Runnable idle) {
    this.limit = EngineClock.nanos(limit);
    this.idle = idle;
    arm(this.limit);
  }

  void touch() {
    last = System.nanoTime();
  }

  /** While this side does not want anything, silence says nothing. */
  void suspend(boolean value) {
    last = System.nanoTime();
    suspended = value;
  }

  void close() {
    closed = true;
    next.close();
  }

  private void arm(long nanos) {
    if (!closed) {
      next = EngineClock.system().schedule(Duration.ofNanos(nanos), this::look);
      if (closed) {
        next.close();
      }
    }
  }

  private void look() {
    long silent = System.nanoTime() - last;
    if (closed) {
      return;
    }
    if (suspended || silent < limit) {
      arm(suspended ? limit : limit - silent);
    } else {
      closed = true;
      idle.run();
    }
  }
}
