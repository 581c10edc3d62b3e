package io.sandboxspi.core.time;

import io.sandboxspi.CallScope;
import io.sandboxspi.Registration;
import io.sandboxspi.spi.Deadline;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;

/**
 * The thread that made a call, and the one way in which it blocks: until something is done, a
 * deadline passes, or it is cancelled by interrupt or {@link CallScope}. Keeps the first
 * cancellation (spec S-CANCEL-03). Used by the calling thread; {@link #wake()} by any.
 */
public final class Caller implements AutoCloseable {
  /** How a wait ended. */
  public enum Wait {
    /** What was waited for is done. */
    DONE,
    /** The deadline passed. */
    DEADLINE,
    /** The caller was cancelled. */
    CANCELLED
  }

  private final EngineClock clock;
  private final Thread owner = Thread.currentThread();
  private final ReentrantLock lock = new ReentrantLock();
  private final Condition woken = lock.newCondition();
  private final Optional<CallScope> scope = CallScope.current();
  private final Registration subscription;
  private boolean signalled;
  private volatile boolean interrupted;
  private volatile @Nullable Throwable cancellation;

  private Caller(EngineClock clock) {
    this.clock = clock;
    this.subscription = scope.map(s -> s.onCancel(() -> scopeCancelled(s))).orElse(() -> {});
  }

  /** The calling thread; close it when the call returns. */
  public static Caller enter(EngineClock clock) {
    return new Caller(clock);
  }

  /** On the canceller's thread, so that the first of several cancellations is known. */
  private void scopeCancelled(CallScope cancelled) {
    lock.lock();
    try {
      if (cancellation == null && !interrupted && !owner.isInterrupted()) {
        cancellation = cancelled.cancellation().orElse(null);
      }
    } finally {
      lock.unlock();
    }
    wake();
  }

  /** Makes a wait look again. */
  public void wake() {
    lock.lock();
    try {
      signalled = true;
      woken.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits; ends at once when the caller is cancelled. */
  public Wait await(CompletableFuture<?> done, Deadline deadline) {
    Callback.when(done, (value, failure) -> wake());
    return await(done::isDone, deadline);
  }

  /** Waits until the condition holds, looked at after every {@link #wake()}. */
  public Wait await(BooleanSupplier done, Deadline deadline) {
    return block(done, deadline, true);
  }

  /** Waits through cancellations, which are kept for {@link #throwIfCancelled}. */
  public Wait settle(CompletableFuture<?> done, Deadline deadline) {
    Callback.when(done, (value, failure) -> wake());
    return block(done::isDone, deadline, false);
  }

  private Wait block(BooleanSupplier done, Deadline deadline, boolean cancellable) {
    while (true) {
      lock.lock();
      try {
        signalled = false;
      } finally {
        lock.unlock();
      }
      // Looked at outside the lock: the condition takes locks of its own.
      if (done.getAsBoolean()) {
        return Wait.DONE;
      }
      if (noteCancellation() && cancellable) {
        return Wait.CANCELLED;
      }
      long nanos = deadline.remainingNanos();
      if (nanos <= 0) {
        return Wait.DEADLINE;
      }
      if (cancellation == null && scope.isPresent()) {
        nanos = Math.min(nanos, scope.get().remainingNanos().orElse(nanos) + 1);
      }
      lock.lock();
      try {
        if (!signalled) {
          clock.awaitNanos(woken, nanos);
        }
      } catch (InterruptedException e) {
        interrupted = true;
      } finally {
        lock.unlock();
      }
    }
  }

  private boolean noteCancellation() {
    if (Thread.interrupted()) {
      interrupted = true;
    }
    lock.lock();
    try {
      if (cancellation == null && interrupted) {
        cancellation = new InterruptedException("the caller was interrupted");
      }
      if (cancellation == null) {
        cancellation = scope.flatMap(CallScope::cancellation).orElse(null);
      }
      return cancellation != null;
    } finally {
      lock.unlock();
    }
  }

  /** Why the caller must end, if it must. */
  public Optional<Throwable> cancellation() {
    noteCancellation();
    return Optional.ofNullable(cancellation);
  }

  /**
   * Throws the caller's own cancellation if there is one: an {@link InterruptedException}, or the
   * scope's very reason.
   *
   * @param failures suppressed under it
   */
  public void throwIfCancelled(List<? extends Throwable> failures) throws InterruptedException {
    if (!noteCancellation() || cancellation == null) {
      return;
    }
    if (cancellation instanceof InterruptedException interrupt) {
      failures.forEach(failure -> Suppressed.add(interrupt, failure));
      throw interrupt;
    }
    throwIfScopeCancelled(failures);
  }

  /**
   * Throws the scope's very reason if it was cancelled; an interrupt only sets the flag again.
   *
   * @param failures suppressed under it
   */
  public void throwIfScopeCancelled(List<? extends Throwable> failures) {
    if (noteCancellation() && cancellation instanceof RuntimeException reason) {
      failures.forEach(failure -> Suppressed.add(reason, failure));
      throw reason;
    }
  }

  /** Sets the interrupt flag again if an interrupt came. */
  @Override
  public void close() {
    subscription.close();
    if (interrupted) {
      Thread.currentThread().interrupt();
    }
  }
}
