package io.sandboxspi.core.output;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.Objects;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * A pipe in memory between a writer that must never block and a reader that may.
 *
 * <p>The bound is advice to the writer: {@link #offer} stores every byte and answers {@code false}
 * once the pipe is full, so a writer that then pauses overshoots by one piece (S-EXEC-10). When the
 * reader has drained a full pipe to less than half, {@code onSpace} runs once (S-EXEC-10). The
 * writer ends the pipe with {@link #end} or {@link #fail}; the reader sees either only behind the
 * last byte (S-EXEC-10). Once the reader has closed its side, everything pending and everything
 * offered later is discarded and counted, and the writer is not held up (S-EXEC-10).
 *
 * <p>Thread-safe. The lock guards memory only; {@code onSpace} runs without it, on the thread that
 * reads or closes, possibly before the {@code offer} that was answered {@code false} has returned.
 * It must not block and is not called once the pipe has ended. If it throws while reading, the pipe
 * fails with that exception, as the writer may never resume; if it throws while closing, the
 * exception leaves {@code close}.
 */
public final class BoundedPipe {
  /** Capacity unless given: 256 KiB. */
  public static final int DEFAULT_CAPACITY = 256 * 1024;

  private static final int KEEP_WHEN_EMPTY = 4 * 1024;

  private final ReentrantLock lock = new ReentrantLock();
  private final Condition changed = lock.newCondition();
  private final ChunkQueue content = new ChunkQueue(KEEP_WHEN_EMPTY);
  private final InputStream input = new Input();
  private final int capacity;
  private final Runnable onSpace;

  private boolean paused;
  private boolean ended;
  private @Nullable Throwable failure;
  private boolean closed;
  private long discarded;

  /**
   * Creates a pipe of {@link #DEFAULT_CAPACITY}.
   *
   * @param onSpace tells the writer to go on
   */
  public BoundedPipe(Runnable onSpace) {
    this(DEFAULT_CAPACITY, onSpace);
  }

  /**
   * Creates a pipe.
   *
   * @param capacity number of pending bytes, at least 1, at which the pipe counts as full
   * @param onSpace tells the writer to go on
   */
  public BoundedPipe(int capacity, Runnable onSpace) {
    if (capacity < 1) {
      throw new IllegalArgumentException("capacity must be at least 1 byte: " + capacity);
    }
    this.capacity = capacity;
    this.onSpace = Objects.requireNonNull(onSpace, "onSpace");
  }

  /**
   * Stores and consumes the remaining bytes of {@code bytes}; they are copied. Never blocks. Bytes
   * offered after the end or after the reader closed are discarded and counted.
   *
   * @return {@code false} asks the writer to pause until {@code onSpace}, which is then certain to
   *     run unless the pipe ends
   */
  public boolean offer(ByteBuffer bytes) {
    lock.lock();
    try {
      if (closed || ended) {
        discarded += bytes.remaining();
        bytes.position(bytes.limit());
        return true;
      }
      content.add(bytes);
      changed.signalAll();
      paused = paused || content.size() >= capacity;
      return !paused;
    } finally {
      lock.unlock();
    }
  }

  /**
   * Ends the pipe: behind the last byte the reader sees end of stream.
   *
   * @return {@code false} if it had ended before, which stays as it was
   */
  public boolean end() {
    return end(null);
  }

  /**
   * Ends the pipe with a failure: behind the last byte every read throws an {@link IOException}
   * with this cause.
   *
   * @param cause why the output is incomplete
   * @return {@code false} if it had ended before, which stays as it was; {@code cause} is then left
   *     to the caller
   */
  public boolean fail(Throwable cause) {
    return end(Objects.requireNonNull(cause, "cause"));
  }

  /**
   * The read side. Reads block until there is a byte, an end or a close. An interrupted thread gets
   * an {@link InterruptedIOException}, keeps its flag and takes no byte (S-EXEC-10). Closing wakes
   * blocked reads, which then throw an {@link IOException}; so does every later read. Threads that
   * read at once each get different bytes.
   */
  public InputStream input() {
    return input;
  }

  /** Number of bytes that wait for the reader. */
  public long pending() {
    lock.lock();
    try {
      return content.size();
    } finally {
      lock.unlock();
    }
  }

  /** Whether the writer was asked to pause and not yet to go on. */
  public boolean isPaused() {
    lock.lock();
    try {
      return paused && !ended;
    } finally {
      lock.unlock();
    }
  }

  /** Number of bytes that never reached the reader because it closed or the pipe had ended. */
  public long discarded() {
    lock.lock();
    try {
      return discarded;
    } finally {
      lock.unlock();
    }
  }

  private boolean end(@Nullable Throwable cause) {
    lock.lock();
    try {
      if (ended) {
        return false;
      }
      ended = true;
      failure = cause;
      changed.signalAll();
      return true;
    } finally {
      lock.unlock();
    }
  }

  private int read(byte[] target, int offset, int length) throws IOException {
    int count;
    boolean resume;
    lock.lock();
    try {
      awaitReadable();
      if (content.size() == 0) {
        return -1;
      }
      count = content.remove(target, offset, length);
      resume = paused && !ended && content.size() * 2 < capacity;
      paused = paused && !resume;
    } finally {
      lock.unlock();
    }
    if (resume) {
      resumeWriter();
    }
    return count;
  }

  /** Returns when there is content or a clean end. */
  private void awaitReadable() throws IOException {
    if (Thread.currentThread().isInterrupted()) {
      throw new InterruptedIOException("interrupted before reading");
    }
    while (true) {
      if (closed) {
        throw new IOException("the stream has been closed");
      }
      if (content.size() > 0) {
        return;
      }
      if (failure != null) {
        throw new IOException("the output ended with a failure", failure);
      }
      if (ended) {
        return;
      }
      try {
        // No deadline here: whoever owns the pipe ends it in bounded time.
        changed.await();
      } catch (InterruptedException e) {
        Thread.currentThread().interrupt();
        InterruptedIOException wrapped = new InterruptedIOException("interrupted while reading");
        wrapped.initCause(e);
        throw wrapped;
      }
    }
  }

  private void resumeWriter() {
    try {
      onSpace.run();
    } catch (RuntimeException e) {
      // The bytes just taken must still reach the reader, so the next read tells.
      lock.lock();
      try {
        ended = true;
        if (failure == null) {
          failure = e;
        } else {
          failure.addSuppressed(e);
        }
        changed.signalAll();
      } finally {
        lock.unlock();
      }
    }
  }

  private void close() {
    boolean resume;
    lock.lock();
    try {
      closed = true;
      discarded += content.size();
      content.clear();
      resume = paused && !ended;
      paused = false;
      changed.signalAll();
    } finally {
      lock.unlock();
    }
    if (resume) {
      onSpace.run();
    }
  }

  private final class Input extends InputStream {
    @Override
    public int read() throws IOException {
      byte[] one = new byte[1];
      return read(one, 0, 1) < 0 ? -1 : one[0] & 0xFF;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      Objects.checkFromIndexSize(offset, length, target.length);
      return length == 0 ? 0 : BoundedPipe.this.read(target, offset, length);
    }

    @Override
    public int available() throws IOException {
      lock.lock();
      try {
        if (closed) {
          throw new IOException("the stream has been closed");
        }
        return (int) Math.min(Integer.MAX_VALUE, content.size());
      } finally {
        lock.unlock();
      }
    }

    @Override
    public void close() {
      BoundedPipe.this.close();
    }
  }
}
