package io.sandboxspi.local.driver.posix;

import io.sandboxspi.local.driver.ClosedInputException;
import io.sandboxspi.local.driver.InputTimeoutException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * The way to a process's standard input. Writers take turns; each writes on its own thread, without
 * blocking, and parks while the descriptor is full.
 */
final class Input {
  private static final int CHUNK = 65_536;
  private static final NativeBuffer.Pool BUFFERS = new NativeBuffer.Pool(CHUNK);

  /** Between two tries: a wake-up that the kernel leaves out costs no more than this. */
  private static final long SLICE_NANOS = 50_000_000;

  private final Reactor reactor;
  private final Watch watch;
  private final boolean terminal;
  private final Semaphore turn = new Semaphore(1, true);
  private volatile @Nullable Thread waiting;
  private volatile boolean gone;
  private volatile boolean closeRequested;
  private boolean midLine;

  Input(Reactor reactor, Watch watch, boolean terminal) {
    this.reactor = reactor;
    this.watch = watch;
    this.terminal = terminal;
  }

  void write(ByteBuffer bytes, long deadline) throws IOException, InterruptedException {
    takeTurn(deadline);
    try {
      if (closeRequested) {
        throw new ClosedInputException("the input was closed before");
      }
      writeAll(bytes, deadline);
    } finally {
      endTurn();
    }
  }

  /** What fails here fails again in {@link #write}, which tells it. */
  boolean tryWrite(ByteBuffer bytes) {
    if (!turn.tryAcquire()) {
      return false;
    }
    NativeBuffer copy = BUFFERS.take(CHUNK);
    try {
      return !closeRequested && !gone && bytes.remaining() <= CHUNK && writeOnce(bytes, copy);
    } catch (ClosedInputException ended) {
      return false;
    } finally {
      BUFFERS.give(copy);
      endTurn();
    }
  }

  private boolean writeOnce(ByteBuffer bytes, NativeBuffer copy) throws ClosedInputException {
    int size = bytes.remaining();
    copy.bytes.put(0, bytes, bytes.position(), size);
    taken(bytes, writeSome(copy.address, size));
    return !bytes.hasRemaining();
  }

  private void taken(ByteBuffer bytes, int count) {
    if (count > 0) {
      bytes.position(bytes.position() + count);
      byte last = bytes.get(bytes.position() - 1);
      midLine = last != '\n' && last != '\r' && last != Termios.EOT;
    }
  }

  void close(long deadline) throws IOException, InterruptedException {
    if (gone || closeRequested) {
      return;
    }
    if (terminal) {
      takeTurn(deadline);
      try {
        if (!closeRequested) {
          closeRequested = true;
          writeAll(Termios.endOfInput(watch.fd, midLine), deadline);
        }
      } catch (ClosedInputException ended) {
        gone = true;
      } finally {
        endTurn();
      }
      return;
    }
    closeRequested = true;
    takeTurn(deadline);
    endTurn();
  }

  /** The process cannot take input any more: wakes a writer. From any thread. */
  void gone() {
    gone = true;
    wake();
  }

  /** The descriptor takes bytes again, or is broken. */
  void wake() {
    LockSupport.unpark(waiting);
  }

  private void takeTurn(long deadline) throws IOException, InterruptedException {
    if (!turn.tryAcquire(Math.max(0, deadline - System.nanoTime()), TimeUnit.NANOSECONDS)) {
      throw new InputTimeoutException("another write did not end before the deadline");
    }
  }

  private void endTurn() {
    turn.release();
    // After giving the turn back: whoever asked to close while we wrote may have given up waiting.
    if (closeRequested && !terminal && turn.tryAcquire()) {
      gone = true;
      watch.close();
      turn.release();
    }
  }

  private void writeAll(ByteBuffer bytes, long deadline) throws IOException, InterruptedException {
    boolean direct = bytes.isDirect() && !bytes.isReadOnly();
    NativeBuffer copy = direct ? null : BUFFERS.take(CHUNK);
    try {
      while (bytes.hasRemaining()) {
        if (gone) {
          throw new ClosedInputException("the process takes no more input");
        }
        int size = Math.min(bytes.remaining(), CHUNK);
        long address;
        if (copy == null) {
          address = NativeBuffer.addressOf(bytes) + bytes.position();
        } else {
          copy.bytes.clear();
          copy.bytes.put(0, bytes, bytes.position(), size);
          address = copy.address;
        }
        int written = writeSome(address, size);
        if (written > 0) {
          taken(bytes, written);
        } else {
          awaitWritable(deadline);
        }
      }
    } finally {
      if (copy != null) {
        BUFFERS.give(copy);
      }
    }
  }

  private int writeSome(long address, int size) throws ClosedInputException {
    if (!watch.fd.enter()) {
      throw new ClosedInputException("the input is closed");
    }
    long written = Posix.write(watch.fd.number, address, size);
    int errno = written < 0 ? Posix.errno() : 0;
    watch.fd.leave();
    if (written >= 0) {
      return (int) written;
    }
    if (errno == Os.EAGAIN || errno == Posix.EINTR) {
      return 0;
    }
    throw new ClosedInputException("the process takes no more input (errno " + errno + ")");
  }

  private void awaitWritable(long deadline) throws IOException, InterruptedException {
    long left = deadline - System.nanoTime();
    if (left <= 0) {
      throw new InputTimeoutException("the process did not take the input before the deadline");
    }
    waiting = Thread.currentThread();
    reactor.post(() -> watch.want(Posix.OUT, true));
    LockSupport.parkNanos(this, Math.min(left, SLICE_NANOS));
    waiting = null;
    if (Thread.interrupted()) {
      throw new InterruptedException("interrupted while the process took no input");
    }
  }
}
