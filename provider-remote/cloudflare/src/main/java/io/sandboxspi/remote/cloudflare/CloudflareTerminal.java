package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.relay.VendorTerminal;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A session of its own with its terminal. The server never says that the shell has ended, but it
 * refuses to change the size of a dead one: so it is asked to, now and then.
 */
final class CloudflareTerminal implements VendorTerminal {
  /** Found in the environment of everything that runs before the program does. */
  static final String MARK = "SANDBOX_TERMINAL";

  private static final Logger LOG = LoggerFactory.getLogger(CloudflareTerminal.class);
  private static final Duration PATIENCE = Duration.ofSeconds(3);

  private final Sandbox sandbox;
  private final String session;
  private final Replay replay = new Replay();
  private final Probe probe;
  private volatile TerminalSize size = TerminalSize.DEFAULT;
  private volatile @Nullable WebSocketLink link;
  private volatile boolean connected;

  CloudflareTerminal(Sandbox sandbox, String session, Lane lane) {
    this.sandbox = sandbox;
    this.session = session;
    this.probe = new Probe(this::ask, lane);
  }

  @Override
  public void make(Map<String, String> variables, TerminalSize first, Deadline deadline)
      throws InterruptedException {
    size = first;
    Map<String, String> all = new HashMap<>(variables);
    all.put(MARK, session);
    sandbox.makeSession(session, all, deadline);
  }

  @Override
  public WebSocketLink connect(Listener listener, Deadline deadline) throws InterruptedException {
    Frames frames = new Frames(listener, replay, connected);
    WebSocketLink opened = sandbox.connect(session, size, frames, deadline);
    boolean done = false;
    try {
      boolean unused = frames.ready().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      link = opened;
      if (connected) {
        // It may have died meanwhile.
        probe.soon();
      }
      connected = true;
      probe.start();
      done = true;
      return opened;
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, "the terminal did not become ready in time", e);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof RemoteException failure
          ? new RemoteException(failure.kind(), String.valueOf(failure.getMessage()), failure)
          : new RemoteException(Kind.BROKEN, "the terminal is lost", e);
    } finally {
      if (!done) {
        opened.close();
      }
    }
  }

  @Override
  public boolean lives(Deadline deadline) throws InterruptedException {
    return sandbox.state(deadline) == Machine.State.RUNNING;
  }

  @Override
  public boolean replays() {
    return true;
  }

  /** It keeps what the terminal does not take. */
  @Override
  public boolean takesAnything() {
    return true;
  }

  @Override
  public void resize(TerminalSize wanted, Deadline deadline) throws InterruptedException {
    size = wanted;
    send(deadline);
  }

  private void send(Deadline deadline) throws InterruptedException {
    WebSocketLink mine = link;
    if (mine != null) {
      TerminalSize now = size;
      mine.sendText(
          "{\"type\":\"resize\",\"cols\":" + now.columns() + ",\"rows\":" + now.rows() + "}",
          deadline);
    }
  }

  /** The size does not change: a program hears nothing of it. */
  private void ask() {
    try {
      send(Deadline.after(PATIENCE));
    } catch (RemoteException e) {
      LOG.debug("a terminal was not asked whether it lives", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public void ended() {
    probe.soon();
  }

  @Override
  public void end(Deadline deadline) throws InterruptedException {
    probe.stop();
    try {
      sandbox.deleteSession(session, Deadline.after(least(PATIENCE, deadline.remaining())));
    } catch (RemoteException e) {
      if (sandbox.gone()) {
        return;
      }
      LOG.debug("a terminal is ended by force", e);
      // The server waits for what runs in it, however long.
      String text = ShellText.quote(MARK + "=" + session);
      String unused =
          sandbox.ask(
              "ending a terminal",
              "grep -lzxF "
                  + text
                  + " /proc/[0-9]*/environ 2>/dev/null | cut -d/ -f3 | xargs -r kill -KILL; :",
              deadline);
      sandbox.deleteSession(session, deadline);
    }
  }

  private static Duration least(Duration first, Duration second) {
    return first.compareTo(second) < 0 ? first : second;
  }

  /** The session does. */
  @Override
  public boolean stays() {
    return true;
  }

  @Override
  public void forget() {
    probe.stop();
    WebSocketLink mine = link;
    if (mine != null) {
      mine.close();
    }
  }
}
