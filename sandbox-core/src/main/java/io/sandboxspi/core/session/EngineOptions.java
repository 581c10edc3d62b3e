package io.sandboxspi.core.session;

import io.sandboxspi.core.pty.PtyRegistry;
import io.sandboxspi.core.time.EngineClock;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.IntSupplier;

/**
 * What a test may replace in an engine.
 *
 * @param clock time of deadlines and timers
 * @param ptyIds draws candidates for PTY ids
 * @param hooks told of interleavings
 */
public record EngineOptions(EngineClock clock, IntSupplier ptyIds, EngineHooks hooks) {
  /** Real time, random ids, no hooks. */
  public static EngineOptions defaults() {
    return new EngineOptions(
        EngineClock.system(),
        () -> ThreadLocalRandom.current().nextInt(PtyRegistry.MIN_ID, PtyRegistry.MAX_ID + 1),
        EngineHooks.NONE);
  }

  /** With another clock. */
  public EngineOptions withClock(EngineClock value) {
    return new EngineOptions(value, ptyIds, hooks);
  }

  /** With another source of ids. */
  public EngineOptions withPtyIds(IntSupplier value) {
    return new EngineOptions(clock, value, hooks);
  }

  /** With hooks. */
  public EngineOptions withHooks(EngineHooks value) {
    return new EngineOptions(clock, ptyIds, value);
  }
}
