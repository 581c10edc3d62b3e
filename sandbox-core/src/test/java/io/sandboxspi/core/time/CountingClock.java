package io.sandboxspi.core.time;

import io.sandboxspi.Registration;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.Condition;

/** The system's clock, with a count of the timers that are armed. */
public final class CountingClock implements EngineClock {
  private final Set<Object> armed = ConcurrentHashMap.newKeySet();

  @Override
  public long nanoTime() {
    return EngineClock.system().nanoTime();
  }

  @Override
  public void awaitNanos(Condition condition, long nanos) throws InterruptedException {
    EngineClock.system().awaitNanos(condition, nanos);
  }

  @Override
  public Registration schedule(Duration delay, Runnable task) {
    Object token = new Object();
    armed.add(token);
    Registration timer =
        EngineClock.system()
            .schedule(
                delay,
                () -> {
                  try {
                    task.run();
                  } finally {
                    armed.remove(token);
                  }
                });
    return () -> {
      timer.close();
      armed.remove(token);
    };
  }

  /** How many timers are armed or run. */
  public int armed() {
    return armed.size();
  }
}
