package io.sandboxspi.remote.transport;

import io.sandboxspi.core.time.EngineClock;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;

/**
 * Gives up bodies that are not whole by their deadlines. All are looked at together, now and then:
 * a timer for each call would wake a thread for each call.
 */
final class LateBodies {
  private static final Duration LOOK = Duration.ofMillis(25);
  private static final Set<WholeBody> OPEN = ConcurrentHashMap.newKeySet();
  private static final AtomicBoolean ARMED = new AtomicBoolean();

  private LateBodies() {}

  static void watch(WholeBody body) {
    OPEN.add(body);
    if (ARMED.compareAndSet(false, true)) {
      arm();
    }
  }

  static void forget(WholeBody body) {
    OPEN.remove(body);
  }

  private static void arm() {
    Object unused = EngineClock.system().schedule(LOOK, LateBodies::look);
  }

  private static void look() {
    OPEN.removeIf(WholeBody::over);
    ARMED.set(false);
    if (!OPEN.isEmpty() && ARMED.compareAndSet(false, true)) {
      arm();
    }
  }
}
