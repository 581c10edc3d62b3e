package io.sandboxspi.core.session;

import io.sandboxspi.Registration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Counts the calls that change files, so that no snapshot is taken in the middle of one (spec
 * S-SNAP-09). A call is counted before it looks whether the session is active, so that none begins
 * unseen behind a closing step. Thread-safe.
 */
final class Changes {
  private final Object lock = new Object();
  private int count;
  private CompletableFuture<Boolean> none = CompletableFuture.completedFuture(true);

  /** Until the registration is closed a call may change files. */
  Registration begin() {
    synchronized (lock) {
      if (count++ == 0) {
        none = new CompletableFuture<>();
      }
    }
    AtomicBoolean over = new AtomicBoolean();
    return () -> {
      if (over.compareAndSet(false, true)) {
        end();
      }
    };
  }

  private void end() {
    CompletableFuture<Boolean> last = null;
    synchronized (lock) {
      if (--count == 0) {
        last = none;
      }
    }
    if (last != null) {
      last.complete(true);
    }
  }

  /** Completes when no call that has begun by now is under way. */
  CompletableFuture<Boolean> none() {
    synchronized (lock) {
      return none;
    }
  }
}
