package io.sandboxspi.core.session;

import io.sandboxspi.core.time.Callback;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The sessions of this JVM that are not closed: closes them when the JVM ends (spec S-LIFE-08) and
 * when they are forgotten (spec S-LIFE-07). Thread-safe.
 */
final class OpenSessions {
  private static final Logger LOG = LoggerFactory.getLogger(OpenSessions.class);
  private static final Duration SHUTDOWN_LIMIT = Duration.ofSeconds(8);
  private static final Cleaner CLEANER = Cleaner.create(OpenSessions::thread);
  private static final Set<Ticket> OPEN = ConcurrentHashMap.newKeySet();

  static {
    Runtime.getRuntime().addShutdownHook(thread(OpenSessions::closeAll));
  }

  private OpenSessions() {}

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "sandbox-open-sessions");
    thread.setDaemon(true);
    return thread;
  }

  static Ticket newTicket(String sessionId) {
    return new Ticket(sessionId);
  }

  /** One open session; does not keep it reachable. */
  static final class Ticket {
    private final String sessionId;
    private final Exception openedAt = new Exception("the session was opened here");
    private volatile boolean closed;
    private @Nullable Supplier<CompletableFuture<Boolean>> closing;

    private Ticket(String sessionId) {
      this.sessionId = sessionId;
    }

    void open(Object session, Supplier<CompletableFuture<Boolean>> close) {
      closing = close;
      OPEN.add(this);
      CLEANER.register(session, this::forgotten);
    }

    void closed() {
      closed = true;
      OPEN.remove(this);
    }

    private void forgotten() {
      if (!closed) {
        LOG.warn("session {} was never closed; it is closed now", sessionId, openedAt);
        Callback.when(
            begin(),
            (ok, failure) -> {
              if (failure != null) {
                LOG.error("session {} could not be closed", sessionId, failure);
              }
            });
      }
    }

    private CompletableFuture<Boolean> begin() {
      Supplier<CompletableFuture<Boolean>> close = closing;
      return close == null ? CompletableFuture.completedFuture(true) : close.get();
    }
  }

  private static void closeAll() {
    List<CompletableFuture<Boolean>> closing = new ArrayList<>();
    for (Ticket ticket : OPEN) {
      closing.add(ticket.begin());
    }
    try {
      CompletableFuture.allOf(closing.toArray(new CompletableFuture<?>[0]))
          .get(SHUTDOWN_LIMIT.toMillis(), TimeUnit.MILLISECONDS);
    } catch (TimeoutException | ExecutionException e) {
      LOG.warn("not every session could be closed at the end of the JVM", e);
    } catch (InterruptedException e) {
      LOG.warn("closing sessions at the end of the JVM was interrupted", e);
    }
  }
}
