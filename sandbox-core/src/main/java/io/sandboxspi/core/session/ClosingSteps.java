package io.sandboxspi.core.session;

import io.sandboxspi.Registration;

/** Knows whether a thread is in a closing step, which never waits for itself (spec S-LIFE-05). */
final class ClosingSteps {
  private final ThreadLocal<Integer> depth = ThreadLocal.withInitial(() -> 0);

  boolean inside() {
    return depth.get() > 0;
  }

  /** Marks the calling thread until the mark is closed. */
  Registration enter() {
    depth.set(depth.get() + 1);
    return () -> {
      int left = depth.get() - 1;
      if (left > 0) {
        depth.set(left);
      } else {
        depth.remove();
      }
    };
  }
}
