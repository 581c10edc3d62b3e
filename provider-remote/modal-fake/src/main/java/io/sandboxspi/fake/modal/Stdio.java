package io.sandboxspi.fake.modal;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;

/**
 * All that one process has written to one descriptor, in a file. It is held up when it is far ahead
 * of all readers. Thread-safe.
 */
final class Stdio {
  private static final long AHEAD = 16 << 20;
  private static final int CHUNK = 64 * 1024;

  private final FileChannel file;
  private long size;
  private long read;
  private boolean ended;
  private boolean closed;

  Stdio(Path path) throws IOException {
    file =
        FileChannel.open(
            path,
            StandardOpenOption.CREATE,
            StandardOpenOption.READ,
            StandardOpenOption.WRITE,
            StandardOpenOption.DELETE_ON_CLOSE);
  }

  /** Adds bytes; blocks. */
  void append(byte[] bytes) {
    synchronized (this) {
      while (size > read + AHEAD && !closed) {
        pause();
      }
      if (closed) {
        return;
      }
      try {
        int unused = file.write(ByteBuffer.wrap(bytes), size);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      size += bytes.length;
      notifyAll();
    }
  }

  private void pause() {
    try {
      TimeUnit.SECONDS.timedWait(this, 10);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      closed = true;
    }
  }

  /** Nothing more comes. */
  synchronized void end() {
    ended = true;
    notifyAll();
  }

  /** Lets go of everything. */
  synchronized void close() {
    closed = true;
    notifyAll();
    try {
      file.close();
    } catch (IOException e) {
      assert e.getMessage() != null;
    }
  }

  /** Wakes readers. */
  synchronized void wake() {
    notifyAll();
  }

  /**
   * The next bytes from an offset; blocks; empty when there are no more, or the reader has gone.
   *
   * @param ready whether the reader takes bytes now
   */
  synchronized byte[] next(long offset, BooleanSupplier ready, BooleanSupplier gone) {
    while (!closed && !gone.getAsBoolean() && (size <= offset ? !ended : !ready.getAsBoolean())) {
      pause();
    }
    if (closed || gone.getAsBoolean() || size <= offset) {
      return new byte[0];
    }
    byte[] bytes = new byte[(int) Math.min(CHUNK, size - offset)];
    try {
      ByteBuffer into = ByteBuffer.wrap(bytes);
      while (into.hasRemaining() && file.read(into, offset + into.position()) >= 0) {
        assert into.position() >= 0;
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    read = Math.max(read, offset + bytes.length);
    notifyAll();
    return bytes;
  }
}
