package io.sandboxspi.remote.blaxel;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Base64;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Input through a relay, in pieces with numbers: a few go ahead of what the program has taken, and
 * are sent again after a break.
 */
final class PipeInput implements Input {
  private static final Logger LOG = LoggerFactory.getLogger(PipeInput.class);

  /** A longer piece costs the relay two processes, a shorter one a read for each byte. */
  private static final int SHORT = 512;

  private static final int PIECE = 12 * 1024;
  private static final int AHEAD = 4;

  private final Terminal terminal;
  private final Semaphore turn = new Semaphore(1, true);
  private final Semaphore room = new Semaphore(AHEAD);

  /** Pieces go out by their numbers, for the relay passes over one that is not the next. */
  private final Semaphore wire = new Semaphore(1, true);

  private final Object lock = new Object();
  // Guarded by lock.
  private final Queue<String> untaken = new ArrayDeque<>();
  private long sent;
  private long taken;
  private volatile boolean over;

  PipeInput(Terminal terminal) {
    this.terminal = terminal;
  }

  @Override
  public void write(ByteBuffer bytes, Deadline deadline)
      throws InterruptedException, InputClosedException {
    begin(deadline);
    try {
      while (bytes.hasRemaining()) {
        awaitRoom(deadline);
        byte[] piece = new byte[Math.min(PIECE, bytes.remaining())];
        bytes.get(piece);
        if (piece.length <= SHORT) {
          send("D", RelayText.escaped(piece) + "\n", deadline);
        } else {
          String text = Base64.getEncoder().encodeToString(piece);
          send("B", text.length() + "\n" + text, deadline);
        }
      }
    } finally {
      turn.release();
    }
  }

  private void begin(Deadline deadline) throws InterruptedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "an earlier write is not done");
    }
  }

  private void awaitRoom(Deadline deadline) throws InterruptedException, InputClosedException {
    if (!over && !room.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "the program does not take its input");
    }
    if (over) {
      throw new InputClosedException("the process has ended");
    }
  }

  private void send(String kind, String text, Deadline deadline)
      throws InterruptedException, InputClosedException {
    hold(deadline);
    try {
      String message;
      synchronized (lock) {
        sent++;
        message = kind + " " + sent + " " + text;
        untaken.add(message);
      }
      terminal.send(message, deadline);
    } catch (RemoteException e) {
      if (over) {
        throw new InputClosedException("the process has ended");
      }
      // On a connection that has just broken: it is sent again on the next one.
      if (e.kind() != Kind.BROKEN && e.kind() != Kind.CLOSED) {
        throw e;
      }
      LOG.debug("input is sent once more", e);
    } finally {
      wire.release();
    }
  }

  private void hold(Deadline deadline) throws InterruptedException {
    if (!wire.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "the terminal does not take its input");
    }
  }

  @Override
  public void close(Deadline deadline) throws InterruptedException {
    begin(deadline);
    try {
      awaitRoom(deadline);
      send("C", "0\n", deadline);
    } catch (InputClosedException ended) {
      LOG.debug("its input is at its end", ended);
    } finally {
      turn.release();
    }
  }

  @Override
  public void taken(long number) {
    synchronized (lock) {
      while (taken < number && !untaken.isEmpty()) {
        taken++;
        untaken.remove();
        room.release();
      }
    }
  }

  @Override
  public void again(Deadline deadline) throws InterruptedException {
    hold(deadline);
    try {
      List<String> all;
      synchronized (lock) {
        all = List.copyOf(untaken);
      }
      for (String message : all) {
        terminal.send(message, deadline);
      }
    } finally {
      wire.release();
    }
  }

  @Override
  public boolean behind(long number) {
    synchronized (lock) {
      return number < sent;
    }
  }

  @Override
  public void over() {
    over = true;
    // Whoever waits sees it.
    room.release(AHEAD);
  }
}
