package io.sandboxspi.docker.attach;

import io.sandboxspi.docker.engine.Hijacked;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.CancelledKeyException;
import java.nio.channels.ClosedSelectorException;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The one thread that serves all streams of a backend. Never blocks but in its selector.
 * Thread-safe.
 */
public final class AttachReactor implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(AttachReactor.class);

  private final Selector selector;
  private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
  private final ByteBuffer buffer = ByteBuffer.allocateDirect(65_536);
  private final Thread thread;
  private volatile boolean closed;

  /** Starts the thread, a daemon of this name. */
  public AttachReactor(String name) throws IOException {
    selector = Selector.open();
    thread = new Thread(this::loop, name);
    thread.setDaemon(true);
    thread.start();
  }

  /** Takes a connection over; its listener is called until it ends or is closed. */
  public Attach attach(Hijacked connection, boolean terminal, AttachListener listener) {
    Attach attach = new Attach(this, connection, terminal, listener);
    execute(attach::register);
    return attach;
  }

  /** Runs a task on the thread; in order; never once closed. */
  public void execute(Runnable task) {
    tasks.add(task);
    selector.wakeup();
  }

  Selector selector() {
    return selector;
  }

  ByteBuffer buffer() {
    return buffer;
  }

  boolean closed() {
    return closed;
  }

  private void loop() {
    try {
      while (!closed) {
        int unused = selector.select();
        runTasks();
        for (SelectionKey key : selector.selectedKeys()) {
          serve(key);
        }
        selector.selectedKeys().clear();
      }
    } catch (IOException | ClosedSelectorException e) {
      LOG.error("the reactor failed", e);
    } finally {
      closeAll();
    }
  }

  private void runTasks() {
    for (Runnable task = tasks.poll(); task != null; task = tasks.poll()) {
      try {
        task.run();
      } catch (RuntimeException | Error e) {
        LOG.error("a task of the reactor failed", e);
      }
    }
  }

  private static void serve(SelectionKey key) {
    if (key.attachment() instanceof Attach attach) {
      try {
        attach.ready(key.readyOps());
      } catch (CancelledKeyException gone) {
        LOG.trace("closed meanwhile", gone);
      } catch (RuntimeException | Error e) {
        LOG.error("a stream's listener failed", e);
        attach.close();
      }
    }
  }

  private void closeAll() {
    closed = true;
    for (SelectionKey key : selector.keys()) {
      if (key.attachment() instanceof Attach attach) {
        attach.close();
      }
    }
    try {
      selector.close();
    } catch (IOException e) {
      LOG.debug("the selector closed with an error", e);
    }
    runTasks();
  }

  /** Closes all streams and ends the thread; their listeners hear nothing more. Does not wait. */
  @Override
  public void close() {
    closed = true;
    selector.wakeup();
  }
}
