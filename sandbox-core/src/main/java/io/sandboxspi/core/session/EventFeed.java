package io.sandboxspi.core.session;

import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.SandboxEvent;
import io.sandboxspi.SandboxListener;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Lane;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Hands one listener its events in their order, one at a time, on a thread of the session (spec
 * S-EVT-05). Thread-safe; the lock guards memory only.
 */
final class EventFeed {
  /** So many events wait for a listener that is slow; what comes then is dropped. */
  static final int LIMIT = 4_096;

  private static final Logger LOG = LoggerFactory.getLogger(EventFeed.class);

  private final SandboxListener listener;
  private final Lane lane;
  private final ClosingSteps closing;
  private final Queue<SandboxEvent> waiting = new ArrayDeque<>();
  private boolean delivering;
  private boolean overflowed;

  EventFeed(SandboxListener listener, Lane lane, ClosingSteps closing) {
    this.listener = listener;
    this.lane = lane;
    this.closing = closing;
  }

  /** Takes an event; never blocks. {@link #deliver()} follows, without the caller's locks. */
  void add(SandboxEvent event) {
    boolean dropped;
    synchronized (waiting) {
      dropped = waiting.size() >= LIMIT && !overflowed;
      overflowed = waiting.size() >= LIMIT;
      if (!overflowed) {
        waiting.add(event);
      }
    }
    if (dropped) {
      LOG.warn("session {}: a listener is too slow; it misses events", event.sessionId());
    }
  }

  /** Sees to it that what waits is delivered. */
  void deliver() {
    synchronized (waiting) {
      if (delivering || waiting.isEmpty()) {
        return;
      }
      delivering = true;
    }
    Callback.when(
        lane.call(this::tellAll),
        (all, noThread) -> {
          if (noThread != null) {
            LOG.error("no thread for a listener; its events wait for the next", noThread);
            synchronized (waiting) {
              delivering = false;
            }
          }
        });
  }

  private boolean tellAll() {
    for (SandboxEvent event = next(); event != null; event = next()) {
      tell(event);
    }
    return true;
  }

  private @Nullable SandboxEvent next() {
    synchronized (waiting) {
      SandboxEvent event = waiting.poll();
      delivering = event != null;
      return event;
    }
  }

  private void tell(SandboxEvent event) {
    try (Registration mark = ends(event) ? closing.enter() : () -> {}) {
      listener.onEvent(event);
    } catch (RuntimeException | Error e) {
      LOG.warn("session {}: a listener failed", event.sessionId(), e);
    }
  }

  /** What a listener asks for at such an event belongs to the closing step. */
  private static boolean ends(SandboxEvent event) {
    return event instanceof SandboxEvent.Started started
        ? closes(started.operation())
        : event instanceof SandboxEvent.Finished finished && closes(finished.operation());
  }

  private static boolean closes(Operation operation) {
    return operation == Operation.STOP
        || operation == Operation.SHUTDOWN
        || operation == Operation.CLOSE;
  }
}
