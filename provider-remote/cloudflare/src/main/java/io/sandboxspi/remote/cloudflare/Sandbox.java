package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.Endpoint;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.remote.transport.WebSocketListener;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Calls for one sandbox. Any of them would start an empty container in the place of one that has
 * gone: so none is sent once it is deleted or known to be lost. Thread-safe.
 */
final class Sandbox {
  private static final Logger LOG = LoggerFactory.getLogger(Sandbox.class);
  private static final Duration TIDY = Duration.ofSeconds(10);
  private static final Duration DRAIN = Duration.ofSeconds(2);

  private final Bridge bridge;
  private final CloudflareRef ref;
  private final Object lock = new Object();
  private int running;
  private boolean shut;
  private boolean gone;

  /** What is done while the sandbox is open. */
  @FunctionalInterface
  private interface Action<T> {
    T run() throws InterruptedException;
  }

  Sandbox(Bridge bridge, CloudflareRef ref) {
    this.bridge = bridge;
    this.ref = ref;
  }

  CloudflareRef ref() {
    return ref;
  }

  private <T> T open(Action<T> action) throws InterruptedException {
    synchronized (lock) {
      if (shut) {
        throw new RemoteException(
            Kind.CLOSED, gone ? "the sandbox does not exist any more" : "the sandbox is deleted");
      }
      running++;
    }
    try {
      return action.run();
    } finally {
      synchronized (lock) {
        running--;
        lock.notifyAll();
      }
    }
  }

  /** Whether it is known to have gone. */
  boolean gone() {
    synchronized (lock) {
      return gone;
    }
  }

  String ask(String what, String script, Deadline deadline) throws InterruptedException {
    return open(() -> bridge.ask(ref.sandbox(), what, script, deadline));
  }

  void makeSession(String session, Map<String, String> environment, Deadline deadline)
      throws InterruptedException {
    Object unused =
        open(
            () -> {
              bridge.makeSession(ref.sandbox(), session, environment, deadline);
              return true;
            });
  }

  void deleteSession(String session, Deadline deadline) throws InterruptedException {
    Object unused =
        open(
            () -> {
              bridge.deleteSession(ref.sandbox(), session, deadline);
              return true;
            });
  }

  WebSocketLink connect(
      String session, TerminalSize size, WebSocketListener listener, Deadline deadline)
      throws InterruptedException {
    return open(() -> bridge.connect(ref.sandbox(), session, size, listener, deadline));
  }

  void put(String path, byte[] content, Deadline deadline) throws InterruptedException {
    Object unused =
        open(
            () -> {
              bridge.put(ref.sandbox(), path, content, deadline);
              return true;
            });
  }

  InputStream get(String path, Deadline deadline) throws InterruptedException {
    return open(() -> bridge.get(ref.sandbox(), path, deadline));
  }

  Endpoint tunnel(int port, Deadline deadline) throws InterruptedException {
    return open(() -> bridge.tunnel(ref.sandbox(), port, deadline));
  }

  /**
   * Whether the container is the one that was made. The question starts another one if it is not,
   * which is ended again.
   */
  Machine.State state(Deadline deadline) throws InterruptedException {
    if (gone()) {
      return Machine.State.GONE;
    }
    String mark = io.sandboxspi.core.posix.ShellText.quote(ref.mark());
    String answer =
        ask("asking for the sandbox", "[ -f " + mark + " ] && echo here || echo gone", deadline);
    if (answer.equals("here\n")) {
      return Machine.State.RUNNING;
    }
    boolean first;
    synchronized (lock) {
      first = !gone;
      gone = true;
      shut = true;
    }
    if (first) {
      LOG.warn("the container of sandbox {} was stopped, and all in it is lost", ref.sandbox());
      endImpostor();
    }
    return Machine.State.GONE;
  }

  private void endImpostor() throws InterruptedException {
    drain(DRAIN.toNanos());
    try {
      bridge.delete(ref.sandbox(), Deadline.after(TIDY));
    } catch (RemoteException e) {
      LOG.warn("an empty container of sandbox {} runs until it sleeps", ref.sandbox(), e);
    }
  }

  /** Waits for what is under way, which would start it again; nothing new begins. */
  private void drain(long nanos) throws InterruptedException {
    synchronized (lock) {
      long end = System.nanoTime() + nanos;
      for (long left = nanos; running > 0 && left > 0; left = end - System.nanoTime()) {
        TimeUnit.NANOSECONDS.timedWait(lock, left);
      }
    }
  }

  /** Deletes it, when nothing is under way that would start it again. */
  void delete(Deadline deadline) throws InterruptedException {
    synchronized (lock) {
      shut = true;
      gone = true;
    }
    drain(deadline.remainingNanos() / 2);
    bridge.delete(ref.sandbox(), deadline);
  }
}
