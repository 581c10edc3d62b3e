package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.spi.Deadline;
import java.lang.ref.Cleaner;
import java.time.Duration;
import java.util.Collection;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
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

  /** Sessions whose backend is being made. */
  private static final AtomicInteger OPENING = new AtomicInteger();

  private static volatile boolean ending;

  static {
    try {
      Runtime.getRuntime().addShutdownHook(thread(OpenSessions::closeAll));
    } catch (IllegalStateException tooLate) {
      LOG.debug("the JVM ends", tooLate);
      ending = true;
    }
  }

  private OpenSessions() {}

  private static Thread thread(Runnable task) {
    Thread thread = new Thread(task, "sandbox-open-sessions");
    thread.setDaemon(true);
    return thread;
  }

  /**
   * Announces that a backend will be made, so that the end of the JVM waits for its session and
   * closes it.
   *
   * @return closed when the session has its ticket or there is none
   * @throws SandboxException {@link ErrorCode#SESSION_CLOSED} when the JVM ends
   */
  static Registration opening() {
    OPENING.incrementAndGet();
    if (ending) {
      OPENING.decrementAndGet();
      throw SandboxException.of(
          ErrorCode.SESSION_CLOSED, Operation.CREATE, "no session is opened while the JVM ends");
    }
    return OPENING::decrementAndGet;
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

  /** A session whose opening began before the end is there when its opening is over. */
  private static void closeAll() {
    ending = true;
    Deadline deadline = Deadline.after(SHUTDOWN_LIMIT);
    Map<Ticket, CompletableFuture<Boolean>> closing = new HashMap<>();
    boolean over = false;
    while (!over && !deadline.expired()) {
      boolean allOpen = OPENING.get() == 0;
      OPEN.forEach(ticket -> closing.computeIfAbsent(ticket, Ticket::begin));
      over = await(closing.values()) && allOpen;
    }
    closing.forEach(
        (ticket, future) -> {
          if (!future.isDone() || future.isCompletedExceptionally()) {
            LOG.warn("session {} could not be closed at the end of the JVM", ticket.sessionId);
          }
        });
  }

  /** Waits a moment; whether all are done. */
  private static boolean await(Collection<CompletableFuture<Boolean>> closing) {
    CompletableFuture<Void> all =
        CompletableFuture.allOf(closing.toArray(new CompletableFuture<?>[0]));
    CompletableFuture<Void> moment =
        new CompletableFuture<Void>().completeOnTimeout(null, 20, TimeUnit.MILLISECONDS);
    boolean opening = OPENING.get() > 0;
    try {
      (opening ? moment : CompletableFuture.anyOf(all, moment)).join();
    } catch (CompletionException e) {
      LOG.debug("a session could not be closed", e);
    }
    return all.isDone();
  }
}
