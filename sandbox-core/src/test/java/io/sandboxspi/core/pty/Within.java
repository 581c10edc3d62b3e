package io.sandboxspi.core.pty;

import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;

/** Waits of tests: long enough to never fail on a slow machine, and never for ever. */
public final class Within {
  private static final long SECONDS = 20;

  private Within() {}

  /** Waits for a latch. */
  public static void await(CountDownLatch latch) throws InterruptedException {
    if (!latch.await(SECONDS, TimeUnit.SECONDS)) {
      throw new AssertionError("not reached in " + SECONDS + " s");
    }
  }

  /** The value, or what the future failed with. */
  public static <T> T get(CompletableFuture<T> future) throws Exception {
    try {
      return future.get(SECONDS, TimeUnit.SECONDS);
    } catch (ExecutionException e) {
      if (e.getCause() instanceof Exception cause) {
        throw cause;
      }
      throw e;
    } catch (TimeoutException e) {
      throw new AssertionError("not done in " + SECONDS + " s", e);
    }
  }

  /** What the future failed with. */
  public static Throwable failure(CompletableFuture<?> future) throws Exception {
    return get(future.handle((value, thrown) -> thrown));
  }

  /** Looks until the condition holds. */
  public static void until(BooleanSupplier condition) {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!condition.getAsBoolean()) {
      if (System.nanoTime() > end) {
        throw new AssertionError("not so after " + SECONDS + " s");
      }
      Thread.onSpinWait();
      Thread.yield();
    }
  }

  /** Moves a test's clock on whenever the future is not done for a moment. */
  public static void moving(CompletableFuture<?> future, Runnable step) throws Exception {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
    while (!future.isDone() && System.nanoTime() < end) {
      try {
        future.get(20, TimeUnit.MILLISECONDS);
      } catch (TimeoutException e) {
        step.run(); // threads at work had their time: now the clock may have some
      } catch (ExecutionException e) {
        return; // whoever asks for the value sees it
      }
    }
  }

  /** Runs on a thread of its own. */
  public static <T> Running<T> start(Callable<T> task) {
    CompletableFuture<T> result = new CompletableFuture<>();
    Thread thread =
        new Thread(
            () -> {
              try {
                result.complete(task.call());
              } catch (Throwable e) {
                result.completeExceptionally(e);
              }
            },
            "test-caller");
    thread.setDaemon(true);
    thread.start();
    return new Running<>(thread, result);
  }

  /** A task on its thread. */
  public record Running<T>(Thread thread, CompletableFuture<T> result) {}
}
