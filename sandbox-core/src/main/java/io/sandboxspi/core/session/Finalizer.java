package io.sandboxspi.core.session;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;

/**
 * Cleans up after processes that ended by themselves: their descendants end with them and their
 * local resources go. Gathers for a moment, because a backend ends many at the price of one.
 * Thread- safe.
 */
final class Finalizer {
  private static final Duration GATHER = Duration.ofMillis(50);

  private final SessionCore core;
  private final Object lock = new Object();
  private List<ProcessEntry> pending = new ArrayList<>();

  Finalizer(SessionCore core) {
    this.core = core;
  }

  void add(ProcessEntry entry) {
    boolean first;
    synchronized (lock) {
      first = pending.isEmpty();
      pending.add(entry);
    }
    if (first) {
      core.clock().schedule(GATHER, this::flush);
    }
  }

  private void flush() {
    List<ProcessEntry> batch;
    synchronized (lock) {
      batch = pending;
      pending = new ArrayList<>();
    }
    core.finish(batch);
  }
}
