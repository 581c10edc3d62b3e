package io.sandboxspi.tck.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * What a blocked call waits for. The kit opens every gate after the assertions, so that no thread
 * is left behind. Thread-safe.
 */
public final class Gate {
  private final CountDownLatch reached = new CountDownLatch(1);
  private final CountDownLatch open = new CountDownLatch(1);
  private final boolean stuck;
  private final @Nullable Duration limit;
  private final List<Runnable> onOpen = new ArrayList<>();
  private int waiting;
  private boolean opened;

  private Gate(boolean stuck, @Nullable Duration limit) {
    this.stuck = stuck;
    this.limit = limit;
  }

  /** A gate whose waiters end when interrupted. */
  public static Gate interruptible() {
    return new Gate(false, null);
  }

  /** A gate whose waiters do not notice an interrupt, as a native call. */
  public static Gate stuck() {
    return new Gate(true, null);
  }

  static Gate late(Duration limit) {
    return new Gate(true, limit);
  }

  /** Waits until somebody stands at the gate. */
  public boolean awaitReached(Duration atMost) throws InterruptedException {
    return reached.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** How many calls stand at the gate now. */
  public synchronized int waiting() {
    return waiting;
  }

  /** Lets everybody through, now and later. */
  public void open() {
    List<Runnable> toRun;
    synchronized (this) {
      if (opened) {
        return;
      }
      opened = true;
      toRun = List.copyOf(onOpen);
    }
    open.countDown();
    toRun.forEach(Runnable::run);
  }

  synchronized boolean isOpen() {
    return opened;
  }

  /** Runs the action once the gate is open; now if it is. */
  void whenOpen(Runnable action) {
    synchronized (this) {
      if (!opened) {
        onOpen.add(action);
        return;
      }
    }
    action.run();
  }

  void markReached() {
    reached.countDown();
  }

  /** Waits for the gate; an interrupt is swallowed at a stuck one. */
  public void pass() throws InterruptedException {
    synchronized (this) {
      waiting++;
    }
    reached.countDown();
    try {
      if (stuck) {
        boolean unused = passUninterruptibly();
      } else {
        open.await();
      }
    } finally {
      synchronized (this) {
        waiting--;
      }
    }
  }

  /** Waits for the gate; an interrupt is noticed after it. */
  public void passKeepingInterrupt() {
    reached.countDown();
    if (passUninterruptibly()) {
      Thread.currentThread().interrupt();
    }
  }

  /** Whether an interrupt came. */
  boolean passUninterruptibly() {
    boolean interrupted = false;
    long until = limit == null ? Long.MAX_VALUE : System.nanoTime() + limit.toNanos();
    while (true) {
      try {
        if (limit == null) {
          open.await();
        } else if (!open.await(until - System.nanoTime(), TimeUnit.NANOSECONDS)) {
          open();
        }
        return interrupted;
      } catch (InterruptedException e) {
        // A stuck call does not notice interrupts; that is the fault being injected.
        interrupted = true;
      }
    }
  }
}
