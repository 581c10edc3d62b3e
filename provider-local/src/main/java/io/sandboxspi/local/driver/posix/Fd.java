package io.sandboxspi.local.driver.posix;

import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntConsumer;

/**
 * A descriptor that is closed only when nobody is in a call on it. Thread-safe. Users enter, make
 * one call that does not block, and leave; the last one out closes.
 */
final class Fd {
  final int number;
  private final IntConsumer closer;
  private final AtomicInteger uses = new AtomicInteger(1);
  private volatile boolean closing;

  /**
   * Takes over a descriptor.
   *
   * @param closer called once, with the number
   */
  Fd(int number, IntConsumer closer) {
    this.number = number;
    this.closer = closer;
  }

  boolean enter() {
    while (!closing) {
      int seen = uses.get();
      if (seen == 0) {
        return false;
      }
      // One that slips in after `closing` was set still holds the number open: that is enough.
      if (uses.compareAndSet(seen, seen + 1)) {
        return true;
      }
    }
    return false;
  }

  void leave() {
    if (uses.decrementAndGet() == 0) {
      closer.accept(number);
    }
  }

  void close() {
    boolean first;
    synchronized (this) {
      first = !closing;
      closing = true;
    }
    if (first) {
      leave();
    }
  }
}
