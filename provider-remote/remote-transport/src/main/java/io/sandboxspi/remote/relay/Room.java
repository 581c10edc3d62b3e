package io.sandboxspi.remote.relay;

import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * How far input runs ahead of a program when the vendor takes any amount of it. A relay tells what
 * its program has taken; of a terminal it is asked whether some input waits there. Thread-safe, for
 * one writer at a time.
 */
abstract class Room {
  private static final int WINDOW = 64 * 1024;

  /** Where the vendor itself holds a writer up. */
  static Room unlimited() {
    return new Unlimited();
  }

  /** For a program with pipes. */
  static Room acknowledged() {
    return new Acknowledged();
  }

  /** For a program with a terminal. */
  static Room ofTerminal(Relays.Asking asking) {
    return new OfTerminal(asking);
  }

  /** Waits until so much may be sent. */
  abstract void await(int size, Deadline deadline)
      throws InterruptedException, InputClosedException;

  /** So much is sent now: a piece, or the end of the input, of which the size is 0. */
  abstract void sent(int size);

  /** Whether nothing is on its way that a break could lose without a word. */
  boolean settled() {
    return true;
  }

  /** The oldest piece was taken. */
  void taken() {}

  /** What the terminal's name is. */
  void name(String value) {}

  /** Nobody takes anything any more. */
  void close() {}

  private static final class Unlimited extends Room {
    @Override
    void await(int size, Deadline deadline) {}

    @Override
    void sent(int size) {}
  }

  private static final class Acknowledged extends Room {
    private final Queue<Integer> pieces = new ArrayDeque<>();
    private int untaken;
    private boolean closed;

    @Override
    synchronized void await(int size, Deadline deadline)
        throws InterruptedException, InputClosedException {
      while (!closed && untaken > 0 && untaken + size > WINDOW) {
        long left = deadline.remainingNanos();
        if (left <= 0) {
          throw late();
        }
        TimeUnit.NANOSECONDS.timedWait(this, left);
      }
      if (closed) {
        throw new InputClosedException("the process has ended");
      }
    }

    @Override
    synchronized void sent(int size) {
      pieces.add(size);
      untaken += size;
    }

    @Override
    synchronized void taken() {
      Integer piece = pieces.poll();
      untaken -= piece == null ? 0 : piece;
      notifyAll();
    }

    @Override
    synchronized boolean settled() {
      return pieces.isEmpty();
    }

    @Override
    synchronized void close() {
      closed = true;
      notifyAll();
    }
  }

  private static final class OfTerminal extends Room {
    private static final long FIRST_PAUSE = 10;
    private static final long LONGEST_PAUSE = 500;

    private final Relays.Asking asking;
    private final CountDownLatch closed = new CountDownLatch(1);
    private volatile String name = "";
    private int unproven;

    OfTerminal(Relays.Asking asking) {
      this.asking = asking;
    }

    @Override
    void name(String value) {
      name = value;
    }

    @Override
    void await(int size, Deadline deadline) throws InterruptedException, InputClosedException {
      if (unproven + size <= WINDOW || !name.startsWith("/dev/")) {
        return;
      }
      long pause = FIRST_PAUSE;
      while (waits(deadline)) {
        long left = TimeUnit.NANOSECONDS.toMillis(deadline.remainingNanos());
        if (left <= 0) {
          throw late();
        }
        if (closed.await(Math.min(pause, left), TimeUnit.MILLISECONDS)) {
          throw new InputClosedException("the process has ended");
        }
        pause = Math.min(pause * 2, LONGEST_PAUSE);
      }
      unproven = 0;
    }

    /** Whether input is there that nobody has read; reads nothing. */
    private boolean waits(Deadline deadline) throws InterruptedException {
      String text = "read -t 0 <" + ShellText.quote(name);
      return asking
          .ask("bash -c " + ShellText.quote(text) + " && echo waits || :", deadline)
          .equals("waits\n");
    }

    @Override
    void sent(int size) {
      unproven += size;
    }

    @Override
    void close() {
      closed.countDown();
    }
  }

  private static RemoteException late() {
    return new RemoteException(Kind.TIMEOUT, "the program does not take its input");
  }
}
