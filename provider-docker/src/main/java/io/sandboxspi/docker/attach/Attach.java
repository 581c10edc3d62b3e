package io.sandboxspi.docker.attach;

import io.sandboxspi.docker.engine.Hijacked;
import io.sandboxspi.docker.engine.Wire;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.OutputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ClosedChannelException;
import java.nio.channels.SelectionKey;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The stream of one process, both ways. A consumer that has enough pauses the reading and so slows
 * the process down; {@link #drain} reads on without it. Thread-safe.
 *
 * <p>Killing a process while its stream is open and unread wedges some engines' container
 * (moby#53614): drain first, then kill.
 */
public final class Attach {
  private static final Logger LOG = LoggerFactory.getLogger(Attach.class);
  private static final int ROUNDS = 8;

  private final AttachReactor reactor;
  private final Wire wire;
  private final AttachListener listener;
  private final StreamDemux demux;
  private final Semaphore writer = new Semaphore(1, true);
  private final CompletableFuture<Optional<Exception>> end = new CompletableFuture<>();

  private final Object lock = new Object();
  // Guarded by the lock.
  private long resumes;
  private boolean paused;
  private @Nullable CompletableFuture<Boolean> writable;

  private boolean draining;

  private volatile boolean closed;

  // Of the reactor's thread.
  private boolean discarding;
  private ByteBuffer backlog;
  private @Nullable SelectionKey key;

  Attach(AttachReactor reactor, Hijacked connection, boolean terminal, AttachListener listener) {
    this.reactor = reactor;
    this.wire = connection.wire();
    this.backlog = connection.early();
    this.listener = listener;
    this.demux = new StreamDemux(terminal);
  }

  // On the reactor's thread

  void register() {
    if (closed || reactor.closed()) {
      close();
      return;
    }
    try {
      key = wire.channel().register(reactor.selector(), 0, this);
    } catch (ClosedChannelException e) {
      close();
      return;
    }
    read();
  }

  void ready(int operations) {
    if ((operations & SelectionKey.OP_WRITE) != 0) {
      interest(SelectionKey.OP_WRITE, false);
      wakeWriter(true);
    }
    if ((operations & SelectionKey.OP_READ) != 0) {
      read();
    }
  }

  /** Delivers what is there; in rounds, so that a flood does not keep the others waiting. */
  private void read() {
    try {
      if (!deliver(backlog)) {
        return;
      }
      ByteBuffer buffer = reactor.buffer();
      for (int i = 0; i < ROUNDS; i++) {
        buffer.clear();
        int n = wire.read(buffer);
        if (n < 0) {
          over(demux.between() ? Optional.empty() : Optional.of(cut()));
          return;
        }
        if (n == 0) {
          interest(SelectionKey.OP_READ, true);
          return;
        }
        buffer.flip();
        if (!deliver(buffer)) {
          backlog = ByteBuffer.allocate(buffer.remaining()).put(buffer).flip();
          return;
        }
      }
      interest(SelectionKey.OP_READ, true);
      // What TLS has decrypted already selects nothing.
      reactor.execute(this::readOn);
    } catch (IOException e) {
      over(Optional.of(e));
    }
  }

  private void readOn() {
    if (!paused() && !closed && !end.isDone()) {
      read();
    }
  }

  /** After a pause. */
  private void wake() {
    if (closed || end.isDone() || paused()) {
      return;
    }
    long before;
    synchronized (lock) {
      discarding |= draining;
      before = resumes;
    }
    if (discarding || listener.onResumed() || settled(before)) {
      read();
    }
  }

  private static IOException cut() {
    return new IOException("the engine's stream ended within a frame");
  }

  /** Hands over all of the bytes, unless the consumer has enough. */
  private boolean deliver(ByteBuffer bytes) throws IOException {
    while (bytes.hasRemaining()) {
      if (closed) {
        return false;
      }
      if (!demux.feed(bytes, this::take)) {
        interest(SelectionKey.OP_READ, false);
        return false;
      }
    }
    return true;
  }

  private boolean take(OutputChannel channel, ByteBuffer bytes) {
    if (discarding || closed) {
      bytes.position(bytes.limit());
      return true;
    }
    long before = resumes();
    boolean more = listener.onOutput(channel, bytes);
    bytes.position(bytes.limit());
    return more || settled(before);
  }

  /** The listener has enough: whether it was resumed meanwhile, and then took all it held. */
  private boolean settled(long told) {
    long before = told;
    while (true) {
      synchronized (lock) {
        if (draining) {
          discarding = true;
        } else if (resumes == before) {
          paused = true;
          return false;
        }
        before = resumes;
      }
      if (discarding || listener.onResumed()) {
        return true;
      }
    }
  }

  private long resumes() {
    synchronized (lock) {
      return resumes;
    }
  }

  private void over(Optional<Exception> broken) {
    if (end.isDone()) {
      return;
    }
    closeWire();
    if (!closed) {
      listener.onEnd(broken);
    }
    end.complete(broken);
    wakeWriter(false);
  }

  private void interest(int operation, boolean wanted) {
    SelectionKey mine = key;
    if (mine != null && mine.isValid()) {
      int now = mine.interestOps();
      mine.interestOps(wanted ? now | operation : now & ~operation);
    }
  }

  private void wakeWriter(boolean open) {
    CompletableFuture<Boolean> waiting;
    synchronized (lock) {
      waiting = writable;
      writable = null;
    }
    if (waiting != null) {
      waiting.complete(open);
    }
  }

  // On any thread

  /** Goes on delivering after the listener had enough; counts also while it is being told. */
  public void resume() {
    synchronized (lock) {
      resumes++;
      if (!paused) {
        return;
      }
      paused = false;
    }
    reactor.execute(this::wake);
  }

  /** Reads to the end from now on: the first time the listener has enough, the rest is dropped. */
  public void drain() {
    synchronized (lock) {
      draining = true;
      if (!paused) {
        return;
      }
      paused = false;
    }
    reactor.execute(this::wake);
  }

  /** Whether the consumer has enough. */
  public boolean paused() {
    synchronized (lock) {
      return paused;
    }
  }

  /** Completes once the stream is over, with what broke it; never if it is closed before. */
  public CompletableFuture<Optional<Exception>> end() {
    return end;
  }

  /** How a write ended. */
  public enum Written {
    /** All bytes are on their way. */
    ALL,
    /** The deadline passed. */
    TIMEOUT,
    /** Nobody takes them any more. */
    CLOSED
  }

  /**
   * Writes all of the bytes.
   *
   * @throws IOException when the connection broke
   */
  public Written write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, IOException {
    return inTurn(deadline, () -> send(bytes, deadline));
  }

  /** Ends the input; the output goes on. */
  public Written closeInput(Deadline deadline) throws InterruptedException, IOException {
    return inTurn(
        deadline,
        () -> {
          if (!over()) {
            wire.shutdownOutput();
          }
          return send(ByteBuffer.allocate(0), deadline);
        });
  }

  private interface Turn {
    Written take() throws IOException, InterruptedException;
  }

  private Written inTurn(Deadline deadline, Turn turn) throws InterruptedException, IOException {
    if (!writer.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      return over() ? Written.CLOSED : Written.TIMEOUT;
    }
    try {
      return turn.take();
    } catch (IOException e) {
      // Both ends close at once: the reader may know in a moment that this is an end.
      if (ended(deadline)) {
        return Written.CLOSED;
      }
      throw e;
    } finally {
      writer.release();
    }
  }

  private Written send(ByteBuffer bytes, Deadline deadline)
      throws IOException, InterruptedException {
    while (true) {
      if (over()) {
        return Written.CLOSED;
      }
      CompletableFuture<Boolean> ready = new CompletableFuture<>();
      int n = bytes.hasRemaining() ? wire.write(bytes) : 0;
      if (!bytes.hasRemaining() && wire.flush()) {
        return Written.ALL;
      }
      if (n > 0) {
        continue;
      }
      synchronized (lock) {
        writable = ready;
      }
      reactor.execute(() -> interest(SelectionKey.OP_WRITE, true));
      if (over()) {
        return Written.CLOSED;
      }
      if (!await(ready, deadline.remainingNanos())) {
        return over() ? Written.CLOSED : Written.TIMEOUT;
      }
    }
  }

  private static boolean await(CompletableFuture<?> future, long nanos)
      throws InterruptedException {
    try {
      Object unused = future.get(nanos, TimeUnit.NANOSECONDS);
      return true;
    } catch (TimeoutException e) {
      return false;
    } catch (ExecutionException e) {
      throw new IllegalStateException("these futures never fail", e);
    }
  }

  private boolean over() {
    return closed || end.isDone();
  }

  private boolean ended(Deadline deadline) throws InterruptedException {
    long grace = Math.min(TimeUnit.SECONDS.toNanos(1), deadline.remainingNanos());
    return closed || (await(end, grace) && end.join().isEmpty());
  }

  /** Lets go of the connection; the listener hears nothing more. Never blocks; idempotent. */
  public void close() {
    closed = true;
    closeWire();
    wakeWriter(false);
    reactor.execute(() -> LOG.trace("the selector forgets a closed channel"));
  }

  private void closeWire() {
    wire.close();
  }
}
