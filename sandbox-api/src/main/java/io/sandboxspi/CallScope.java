package io.sandboxspi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.concurrent.Callable;
import org.jspecify.annotations.Nullable;

/**
 * A cancellation scope: every blocking call that a thread makes inside it ends when the scope is
 * cancelled or its deadline passes (spec S-CANCEL-02). Scopes nest; the outer one wins.
 *
 * <pre>{@code
 * try (CallScope scope = CallScope.withDeadline(Duration.ofSeconds(20))) {
 *   session.exec(Command.shell("make"));
 * }
 * }</pre>
 *
 * <p>Opened and closed on the same thread, innermost first; {@link #cancel} may be called from any
 * thread.
 */
public final class CallScope implements AutoCloseable {
  private static final ThreadLocal<@Nullable CallScope> CURRENT = new ThreadLocal<>();

  private final @Nullable CallScope parent;
  private final Thread owner = Thread.currentThread();
  private final boolean timed;
  private final long expiresAt;
  private final Duration limit;
  private final Object lock = new Object();
  private final Set<Runnable> listeners = new LinkedHashSet<>();
  private @Nullable RuntimeException reason;

  private CallScope(@Nullable CallScope parent, @Nullable Duration limit) {
    this.parent = parent;
    this.timed = limit != null;
    this.limit = limit == null ? Duration.ZERO : limit;
    this.expiresAt = limit == null ? 0 : System.nanoTime() + saturatedNanos(limit);
  }

  /** Opens a scope without a deadline of its own on this thread. */
  public static CallScope open() {
    return enter(null);
  }

  /**
   * Opens a scope on this thread that ends by itself.
   *
   * @param limit above zero
   */
  public static CallScope withDeadline(Duration limit) {
    Checks.positive("limit", limit);
    return enter(limit);
  }

  private static CallScope enter(@Nullable Duration limit) {
    CallScope scope = new CallScope(CURRENT.get(), limit);
    CURRENT.set(scope);
    return scope;
  }

  /** The innermost scope of this thread. */
  public static Optional<CallScope> current() {
    return Optional.ofNullable(CURRENT.get());
  }

  /**
   * Cancels the scope: calls in it end with this very object. The first reason stays (spec
   * S-CANCEL-03).
   *
   * @return whether this reason is the one that counts
   * @throws RuntimeException or an error: what an action of {@link #onCancel} threw first, once all
   *     have run
   */
  public boolean cancel(RuntimeException why) {
    Objects.requireNonNull(why, "why");
    List<Runnable> toTell;
    synchronized (lock) {
      if (reason != null) {
        return false;
      }
      reason = why;
      toTell = new ArrayList<>(listeners);
    }
    tell(toTell);
    return true;
  }

  private static void tell(List<Runnable> actions) {
    Throwable first = null;
    for (Runnable action : actions) {
      try {
        action.run();
      } catch (RuntimeException | Error e) { // whoever waits must hear of it all the same
        if (first == null) {
          first = e;
        } else if (first != e) {
          first.addSuppressed(e);
        }
      }
    }
    if (first instanceof Error e) {
      throw e;
    }
    if (first instanceof RuntimeException e) {
      throw e;
    }
  }

  /** Why calls must end: an outer scope's reason first, then this one's, then its deadline. */
  public Optional<RuntimeException> cancellation() {
    if (parent != null) {
      Optional<RuntimeException> outer = parent.cancellation();
      if (outer.isPresent()) {
        return outer;
      }
    }
    synchronized (lock) {
      if (reason == null && timed && expiresAt - System.nanoTime() <= 0) {
        reason =
            SandboxException.builder(
                    ErrorCode.DEADLINE_EXCEEDED,
                    Operation.SCOPE,
                    "the enclosing deadline of " + limit + " passed")
                .retryable(Retryable.UNKNOWN)
                .build();
      }
      return Optional.ofNullable(reason);
    }
  }

  /** Nanoseconds until the nearest deadline of this and the outer scopes; empty for none. */
  public OptionalLong remainingNanos() {
    OptionalLong outer = parent == null ? OptionalLong.empty() : parent.remainingNanos();
    if (!timed) {
      return outer;
    }
    long own = Math.max(0, expiresAt - System.nanoTime());
    return OptionalLong.of(outer.isPresent() ? Math.min(own, outer.getAsLong()) : own);
  }

  /**
   * Calls the action when this or an outer scope is cancelled by {@link #cancel}, on the
   * canceller's thread, or at once if it has been; not when a deadline passes.
   */
  public Registration onCancel(Runnable action) {
    Registration outer = parent == null ? () -> {} : parent.onCancel(action);
    boolean already;
    synchronized (lock) {
      already = reason != null;
      if (!already) {
        listeners.add(action);
      }
    }
    if (already) {
      action.run();
    }
    return () -> {
      outer.close();
      synchronized (lock) {
        listeners.remove(action);
      }
    };
  }

  /**
   * Runs a task of another thread inside this scope, for instance on an executor.
   *
   * @throws Exception what the task throws
   */
  public <T extends @Nullable Object> T call(Callable<T> task) throws Exception {
    CallScope before = CURRENT.get();
    CURRENT.set(this);
    try {
      return task.call();
    } finally {
      CURRENT.set(before);
    }
  }

  /**
   * Leaves the scope. A second close does nothing.
   *
   * @throws IllegalStateException on another thread or before an inner scope was closed
   */
  @Override
  public void close() {
    CallScope current = CURRENT.get();
    if (current == this && owner == Thread.currentThread()) {
      CURRENT.set(parent);
      return;
    }
    for (CallScope scope = current; scope != null; scope = scope.parent) {
      if (scope == this) {
        throw new IllegalStateException("an inner CallScope is still open");
      }
    }
    if (owner != Thread.currentThread()) {
      throw new IllegalStateException("a CallScope is closed by the thread that opened it");
    }
  }

  private static long saturatedNanos(Duration duration) {
    try {
      return duration.toNanos();
    } catch (ArithmeticException tooLong) {
      return Long.MAX_VALUE / 2;
    }
  }
}
