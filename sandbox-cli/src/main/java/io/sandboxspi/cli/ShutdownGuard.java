package io.sandboxspi.cli;

import io.sandboxspi.CallScope;
import java.time.Duration;
import java.util.Deque;
import java.util.concurrent.ConcurrentLinkedDeque;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * Ends the work of the main thread when the JVM is told to end (SIGINT, SIGTERM, SIGHUP) and lets
 * the JVM go on only when it has been cleaned up, or after a bound. The exit code is then the
 * JVM's: 128 plus the signal. Opened and closed on the same thread.
 */
final class ShutdownGuard implements AutoCloseable {
  private static final Duration BOUND = Duration.ofSeconds(20);

  private final CallScope scope = CallScope.open();
  private final CountDownLatch cleaned = new CountDownLatch(1);
  private final Deque<Runnable> lastActions = new ConcurrentLinkedDeque<>();
  private final Thread hook = new Thread(this::endWork, "sandbox-cli-shutdown");

  private ShutdownGuard() {}

  static ShutdownGuard open() {
    ShutdownGuard guard = new ShutdownGuard();
    try {
      Runtime.getRuntime().addShutdownHook(guard.hook);
    } catch (IllegalStateException ending) {
      guard.scope.close();
      throw interrupted();
    }
    return guard;
  }

  /** Cancelled when the JVM is told to end. */
  CallScope scope() {
    return scope;
  }

  /** Runs the action last of all if the JVM is told to end, also when the work is stuck. */
  void atLast(Runnable action) {
    lastActions.addFirst(action);
  }

  @Override
  public void close() {
    scope.close();
    cleaned.countDown();
    try {
      Runtime.getRuntime().removeShutdownHook(hook);
    } catch (IllegalStateException ending) {
      // The hook runs: it was waiting for the line above
      return;
    }
  }

  /** Whether the JVM has been told to end. */
  static boolean jvmEnds() {
    Thread probe = new Thread(() -> {}, "sandbox-cli-probe");
    try {
      Runtime.getRuntime().addShutdownHook(probe);
      Runtime.getRuntime().removeShutdownHook(probe);
      return false;
    } catch (IllegalStateException ending) {
      return true;
    }
  }

  private void endWork() {
    scope.cancel(interrupted());
    try {
      cleaned.await(BOUND.toMillis(), TimeUnit.MILLISECONDS);
    } catch (InterruptedException giveUp) {
      Thread.currentThread().interrupt();
    } finally {
      lastActions.forEach(Runnable::run);
    }
  }

  private static CliFailure interrupted() {
    return CliFailure.quiet(ExitCodes.INTERRUPTED, "told to end");
  }
}
