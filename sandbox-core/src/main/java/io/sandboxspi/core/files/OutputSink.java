package io.sandboxspi.core.files;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.OutputChannel;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.SandboxProcess;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/** Keeps a little of a process's output until it is read, and slows the process down. */
final class OutputSink implements ProcessListener {
  private static final int MOST = 1 << 20;
  // A file system that gives nothing for so long gives nothing more.
  private static final long PATIENCE_NANOS = TimeUnit.SECONDS.toNanos(60);

  private static final long DRAIN_NANOS = TimeUnit.SECONDS.toNanos(5);

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  // Guarded by the lock.
  private final Queue<ByteBuffer> chunks = new ArrayDeque<>();
  private int size;
  private boolean full;
  private boolean over;
  private @Nullable ExitStatus status;

  @Override
  public boolean onOutput(OutputChannel channel, ByteBuffer bytes) {
    if (channel == OutputChannel.STDERR) {
      return true;
    }
    lock.lock();
    try {
      size += bytes.remaining();
      chunks.add(ByteBuffer.allocate(bytes.remaining()).put(bytes).flip());
      full = size >= MOST;
      changed.signalAll();
      return !full;
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onOutputClosed() {
    lock.lock();
    try {
      over = true;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  @Override
  public void onExit(ExitStatus value) {
    lock.lock();
    try {
      status = value;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
  }

  /** Waits for the end of the process and, as they are two events, of its output. */
  ExitStatus exit(Deadline deadline) throws InterruptedException {
    lock.lock();
    try {
      long left = deadline.remainingNanos();
      while (status == null && left > 0) {
        left = changed.awaitNanos(left);
      }
      left = Math.min(left, DRAIN_NANOS);
      while (status != null && !over && left > 0) {
        left = changed.awaitNanos(left);
      }
      ExitStatus known = status;
      return known == null ? new ExitStatus.Lost("the process did not end in time") : known;
    } finally {
      lock.unlock();
    }
  }

  /** What has come and was not read. */
  byte[] rest() {
    lock.lock();
    try {
      ByteBuffer all = ByteBuffer.allocate(size);
      chunks.forEach(all::put);
      chunks.clear();
      size = 0;
      return all.array();
    } finally {
      lock.unlock();
    }
  }

  /** Reads some bytes; -1 once the process has ended well. */
  int read(byte[] into, int offset, int length, SandboxProcess process) throws IOException {
    boolean resume = false;
    int n;
    lock.lock();
    try {
      awaitBytes();
      ByteBuffer head = chunks.peek();
      if (head == null) {
        return ended();
      }
      n = Math.min(length, head.remaining());
      head.get(into, offset, n);
      size -= n;
      if (!head.hasRemaining()) {
        chunks.remove();
      }
      if (full && size < MOST / 2) {
        full = false;
        resume = true;
      }
    } catch (InterruptedException e) {
      InterruptedIOException interrupted = new InterruptedIOException("interrupted");
      interrupted.initCause(e);
      throw interrupted;
    } finally {
      lock.unlock();
    }
    if (resume) {
      process.resumeOutput();
    }
    return n;
  }

  private void awaitBytes() throws InterruptedException, IOException {
    long left = PATIENCE_NANOS;
    while (chunks.isEmpty() && !(over && status != null)) {
      if (left <= 0) {
        throw new IOException("the sandbox gives no more bytes");
      }
      left = changed.awaitNanos(left);
    }
  }

  private int ended() throws IOException {
    if (new ExitStatus.Exited(0).equals(status)) {
      return -1;
    }
    throw new IOException("the file was not read to its end: " + status);
  }
}
