package io.sandboxspi.tck.kit;

import io.sandboxspi.CallScope;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.tck.RuleViolation;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.opentest4j.TestAbortedException;

/**
 * A call under test on a thread of its own, so that one that never returns fails a test instead of
 * hanging it.
 */
public final class Caller<T> {
  /** How long the scope of a {@link Flavour#DEADLINE} caller lasts. */
  public static final Duration DEADLINE = Duration.ofSeconds(2);

  private static final AtomicInteger COUNT = new AtomicInteger();

  private final Callable<T> work;
  private final Flavour flavour;
  private final Duration deadline;
  private final RuntimeException reason = new Cancelled();
  private final CountDownLatch begun = new CountDownLatch(1);
  private final CountDownLatch ended = new CountDownLatch(1);
  private final Thread thread;
  private final long startedAt = System.nanoTime();
  private volatile @Nullable CallScope scope;
  private volatile @Nullable T value;
  private volatile @Nullable Throwable failure;
  private volatile boolean flag;
  private volatile long endedAt;

  /** The reason that a test gives. */
  private static final class Cancelled extends RuntimeException {
    private static final long serialVersionUID = 1L;

    Cancelled() {
      super("cancelled by the kit");
    }
  }

  Caller(Callable<T> work, Flavour flavour, Duration deadline) {
    this.work = work;
    this.flavour = flavour;
    this.deadline = deadline;
    this.thread = new Thread(this::run, "tck-caller-" + COUNT.incrementAndGet());
    thread.setDaemon(true);
    thread.start();
  }

  private void run() {
    try (CallScope mine =
        flavour == Flavour.DEADLINE ? CallScope.withDeadline(deadline) : CallScope.open()) {
      scope = mine;
      begun.countDown();
      value = work.call();
    } catch (Throwable t) { // handed to the test
      failure = t;
    } finally {
      flag = Thread.currentThread().isInterrupted();
      endedAt = System.nanoTime();
      ended.countDown();
    }
  }

  /** Cancels the call in its flavour; for {@link Flavour#DEADLINE} waits until it has passed. */
  public void cancel() throws InterruptedException {
    begun.await();
    switch (flavour) {
      case SCOPE -> cancelScope(reason);
      case INTERRUPT -> thread.interrupt();
      case DEADLINE -> {
        long left = startedAt + deadline.toNanos() - System.nanoTime();
        Await.pause(Math.max(0, left) + 50_000_000);
      }
    }
  }

  /** Cancels the call's scope with another reason. */
  public void cancelScope(RuntimeException other) {
    CallScope mine = scope;
    if (mine != null) {
      boolean counted = mine.cancel(other);
      if (!counted && other == reason) {
        throw new IllegalStateException("the scope was cancelled before");
      }
    }
  }

  /** Interrupts the calling thread. */
  public void interrupt() {
    thread.interrupt();
  }

  /** Whether the call has returned. */
  public boolean returned() {
    return ended.getCount() == 0;
  }

  /** The name of the calling thread. */
  public String threadName() {
    return thread.getName();
  }

  /** Waits; whether the call has returned. */
  public boolean awaitReturn(Duration atMost) throws InterruptedException {
    return ended.await(atMost.toNanos(), TimeUnit.NANOSECONDS);
  }

  /** The call returns in this time, or the rule is broken. */
  public Caller<T> returnsWithin(String rule, Duration bound) throws InterruptedException {
    if (!awaitReturn(bound)) {
      StringBuilder at = new StringBuilder();
      for (StackTraceElement frame : thread.getStackTrace()) {
        at.append("\n    at ").append(frame);
      }
      throw new RuleViolation(rule, "the call did not return within " + bound + at);
    }
    return this;
  }

  /** How long the call took. */
  public Duration duration() {
    return Duration.ofNanos(endedAt - startedAt);
  }

  /** What it threw. */
  public Optional<Throwable> failure() {
    return Optional.ofNullable(failure);
  }

  /** Its value; the rule is broken if it failed. */
  public T value(String rule) {
    Throwable thrown = failure;
    if (thrown != null) {
      if (thrown instanceof RuleViolation violation) {
        throw violation;
      }
      if (thrown instanceof TestAbortedException skip) {
        throw skip;
      }
      throw new RuleViolation(rule, "expected a result, but it failed: " + thrown, thrown);
    }
    T result = value;
    if (result == null) {
      throw new IllegalStateException("the call has not returned or has no value");
    }
    return result;
  }

  /** Its failure; the rule is broken if it succeeded. */
  public Throwable failed(String rule) {
    Throwable thrown = failure;
    if (thrown == null) {
      throw new RuleViolation(rule, "expected a failure, but the call returned " + value);
    }
    return thrown;
  }

  /** The caller got its own cancellation and nothing else; what it threw. */
  public Throwable cancelled(String rule) {
    Throwable thrown = failure;
    boolean right =
        switch (flavour) {
          case SCOPE -> thrown == reason;
          case INTERRUPT -> thrown instanceof InterruptedException && flag;
          case DEADLINE ->
              thrown instanceof SandboxException e && e.code() == ErrorCode.DEADLINE_EXCEEDED;
        };
    if (!right || thrown == null) {
      String seen = thrown == null ? "it returned " + value : "it got " + thrown;
      String expected = "the caller of flavour " + flavour + " expects its own cancellation";
      RuleViolation violation =
          new RuleViolation(rule, expected + ", but " + seen + " (interrupt flag " + flag + ")");
      if (thrown != null) {
        violation.addSuppressed(thrown);
      }
      throw violation;
    }
    return thrown;
  }
}
