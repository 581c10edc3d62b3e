package io.sandboxspi.remote.relay;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Input of a terminal. A connection takes more than the program does, so only so much is sent ahead
 * of what the daemon has written to the terminal. Thread-safe.
 */
final class RelayInput {
  private static final Logger LOG = LoggerFactory.getLogger(RelayInput.class);

  /** The daemon closes a connection with a longer message than 64 KiB. */
  private static final int MESSAGE = 16 * 1024;

  private static final int WINDOW = 64 * 1024;

  private final Supplier<CompletableFuture<WebSocketLink>> link;
  private final BooleanSupplier over;
  private final boolean plain;
  private final Room room;
  private final Semaphore turn = new Semaphore(1, true);

  // Of the writer whose turn it is.
  private final Queue<Sent> sent = new ArrayDeque<>();
  private int unasked;
  private int untaken;

  private record Sent(CompletableFuture<Boolean> taken, int size) {}

  /**
   * For one terminal.
   *
   * @param link the connection of now, or of soon
   * @param room for a vendor that takes anything
   * @param plain whether bytes are typed as they are; otherwise with lengths
   */
  RelayInput(
      Supplier<CompletableFuture<WebSocketLink>> link,
      BooleanSupplier over,
      boolean plain,
      Room room) {
    this.link = link;
    this.over = over;
    this.plain = plain;
    this.room = room;
  }

  /** Writes all; concurrent writes do not mix. */
  void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "an earlier write is not done");
    }
    try {
      while (bytes.hasRemaining()) {
        int size = Math.min(MESSAGE, bytes.remaining());
        awaitRoom(size, deadline);
        room.await(size, deadline);
        byte[] head = plain ? new byte[0] : (size + "\n").getBytes(StandardCharsets.US_ASCII);
        ByteBuffer message = ByteBuffer.allocate(head.length + size).put(head);
        message.put(bytes.duplicate().limit(bytes.position() + size)).flip();
        room.sent(size);
        send(message, deadline);
        bytes.position(bytes.position() + size);
        count(size);
      }
    } finally {
      turn.release();
    }
  }

  private void awaitRoom(int size, Deadline deadline)
      throws InterruptedException, InputClosedException {
    while (!sent.isEmpty() && (sent.element().taken().isDone() || untaken + size > WINDOW)) {
      Sent first = sent.element();
      try {
        boolean unused = first.taken().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      } catch (TimeoutException e) {
        throw new RemoteException(Kind.TIMEOUT, "the program does not take its input", e);
      } catch (ExecutionException e) {
        if (over.getAsBoolean()) {
          throw new InputClosedException("the process has ended");
        }
      }
      sent.remove();
      untaken -= first.size();
    }
  }

  private void count(int size) {
    unasked += size;
    if (unasked >= MESSAGE / 2) {
      WebSocketLink mine = link.get().getNow(null);
      if (mine != null) {
        sent.add(new Sent(mine.taken(), unasked));
        untaken += unasked;
      }
      unasked = 0;
    }
  }

  private void send(ByteBuffer message, Deadline deadline)
      throws InterruptedException, InputClosedException {
    if (over.getAsBoolean()) {
      throw new InputClosedException("the process has ended");
    }
    try {
      link.get().get(deadline.remainingNanos(), TimeUnit.NANOSECONDS).sendBinary(message, deadline);
    } catch (TimeoutException e) {
      throw new RemoteException(Kind.TIMEOUT, "the terminal is not connected", e);
    } catch (ExecutionException e) {
      throw new RemoteException(Kind.BROKEN, "the terminal is lost", e);
    } catch (RemoteException e) {
      if (over.getAsBoolean() && e.kind() != Kind.TIMEOUT) {
        throw new InputClosedException("the process has ended");
      }
      throw e;
    }
  }

  /** Ends the input of a program without a terminal. */
  void close(Deadline deadline) throws InterruptedException {
    if (plain) {
      return;
    }
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "an earlier write is not done");
    }
    try {
      room.sent(0);
      send(ByteBuffer.wrap("0\n".getBytes(StandardCharsets.US_ASCII)), deadline);
    } catch (InputClosedException ended) {
      LOG.debug("its input is at its end", ended);
    } finally {
      turn.release();
    }
  }
}
