package io.sandboxspi.remote.e2b;

import io.sandboxspi.Registration;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.concurrent.Executor;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Renews a sandbox's time while a session is open: the vendor does not count what happens in it.
 * Stops when the vendor says no.
 */
final class LifeKeeper {
  private static final Logger LOG = LoggerFactory.getLogger(LifeKeeper.class);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final ControlPlane controlPlane;
  private final String sandbox;
  private final Duration life;
  private final Executor executor;
  private volatile boolean closed;
  private volatile Registration next = () -> {};

  LifeKeeper(ControlPlane controlPlane, String sandbox, Duration life, Executor executor) {
    this.controlPlane = controlPlane;
    this.sandbox = sandbox;
    this.life = life;
    this.executor = executor;
  }

  /** Renews at each third of its time, so that two failures do no harm. */
  void arm() {
    if (!closed) {
      next = EngineClock.system().schedule(life.dividedBy(3), () -> executor.execute(this::renew));
      if (closed) {
        next.close();
      }
    }
  }

  private void renew() {
    try {
      if (!closed) {
        controlPlane.live(sandbox, life, Deadline.after(PATIENCE));
      }
    } catch (RemoteException e) {
      if (e.kind() == Kind.REFUSED && e.status() < 500 && e.status() != 429) {
        LOG.warn("the time of sandbox {} is not renewed any more: {}", sandbox, e.getMessage());
        return;
      }
      LOG.debug("the time of sandbox {} was not renewed", sandbox, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return;
    }
    arm();
  }

  void close() {
    closed = true;
    next.close();
  }
}
