package io.sandboxspi.remote.transport;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs tasks one at a time and in order, on the threads that bring them. Thread-safe. */
public final class Serial {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();

  /** Runs it now, or lets whoever is running a task run it next. */
  public void execute(Runnable task) {
    tasks.add(task);
    if (pending.getAndIncrement() == 0) {
      do {
        Runnable next = tasks.remove();
        next.run();
      } while (pending.decrementAndGet() > 0);
    }
  }
}
