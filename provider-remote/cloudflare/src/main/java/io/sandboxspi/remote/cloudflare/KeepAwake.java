package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.Registration;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Uses a sandbox while a session is open: the deployment stops what nobody uses, and its disk is
 * lost. A question for the sandbox is a use. Stops when it is lost.
 */
final class KeepAwake {
  private static final Logger LOG = LoggerFactory.getLogger(KeepAwake.class);
  private static final Duration PATIENCE = Duration.ofSeconds(20);

  private final Sandbox sandbox;
  private final Duration pause;
  private final Lane lane;
  private volatile boolean closed;
  private volatile Registration next = () -> {};

  KeepAwake(Sandbox sandbox, Duration pause, Lane lane) {
    this.sandbox = sandbox;
    this.pause = pause;
    this.lane = lane;
  }

  void arm() {
    if (!closed) {
      next = EngineClock.system().schedule(pause, () -> lane.execute(this::use));
      if (closed) {
        next.close();
      }
    }
  }

  private void use() {
    if (closed) {
      return;
    }
    try {
      if (sandbox.state(Deadline.after(PATIENCE)) == Machine.State.GONE) {
        return;
      }
    } catch (RemoteException e) {
      LOG.warn("the sandbox may be stopped while it is in use: {}", e.getMessage());
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
