package io.sandboxspi.remote.transport;

import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.atomic.AtomicInteger;

/** Runs tasks one at a time and in order, on the threads that bring them. Thread-safe. */
public final class Serial {
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final AtomicInteger pending = new AtomicInteger();

  /**
   * Runs it now, or lets whoever is running a task run it next. What a task throws is thrown when
   * all that waits has run.
   */
  public void execute(Runnable task) {
    tasks.add(task);
    if (pending.getAndIncrement() == 0) {
      Optional<RuntimeException> failure = Optional.empty();
      do {
        try {
          tasks.remove().run();
        } catch (RuntimeException e) {
          failure.ifPresent(first -> first.addSuppressed(e));
          failure = failure.or(() -> Optional.of(e));
        }
      } while (pending.decrementAndGet() > 0);
      if (failure.isPresent()) {
        throw failure.get();
      }
    }
  }
}
