package io.sandboxspi.remote.modal;

import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The control plane's token: fetched once for all who wait, and again in the background while it is
 * still good. Thread-safe.
 */
final class AuthTokens {
  private static final Logger LOG = LoggerFactory.getLogger(AuthTokens.class);
  private static final Duration FETCH = Duration.ofSeconds(15);
  private static final Duration FIRST_PAUSE = Duration.ofMillis(500);
  private static final Duration LONGEST_PAUSE = Duration.ofSeconds(60);

  private final Source source;
  private final Semaphore turn = new Semaphore(1, true);
  private final Lane lane = Lane.light("sandbox-modal-token");
  private volatile @Nullable Jwt token;
  private volatile long notBefore = System.nanoTime();
  private Duration pause = FIRST_PAUSE;

  /** Asks the vendor. */
  interface Source {
    Jwt fetch(Deadline deadline) throws InterruptedException;
  }

  AuthTokens(Source source) {
    this.source = source;
  }

  /** One that is good now. */
  Secret current(Deadline deadline) throws InterruptedException {
    Jwt known = token;
    if (known == null || known.over()) {
      known = fetched(known, deadline);
    } else if (known.due() && System.nanoTime() - notBefore > 0 && turn.tryAcquire()) {
      lane.execute(this::refresh);
    }
    return known.value();
  }

  /** One that the vendor refused is not used again. */
  void refused(Secret value) {
    Jwt known = token;
    if (known != null && known.value().equals(value)) {
      token = null;
    }
  }

  private Jwt fetched(@Nullable Jwt before, Deadline deadline) throws InterruptedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "no token came before the deadline");
    }
    try {
      Jwt known = token;
      if (known == null || known == before) {
        known = source.fetch(sooner(deadline));
        token = known;
      }
      return known;
    } finally {
      turn.release();
    }
  }

  private static Deadline sooner(Deadline deadline) {
    return deadline.remaining().compareTo(FETCH) < 0 ? deadline : Deadline.after(FETCH);
  }

  /** The turn is held. */
  private void refresh() {
    try {
      token = source.fetch(Deadline.after(FETCH));
      pause = FIRST_PAUSE;
    } catch (RemoteException e) {
      LOG.debug("the token was not renewed; the old one is used on", e);
      notBefore = System.nanoTime() + pause.toNanos();
      Duration longer = pause.multipliedBy(2);
      pause = longer.compareTo(LONGEST_PAUSE) < 0 ? longer : LONGEST_PAUSE;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      turn.release();
    }
  }
}
