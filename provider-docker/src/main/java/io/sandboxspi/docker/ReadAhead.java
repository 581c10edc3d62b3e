package io.sandboxspi.docker;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Queue;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose source is read to its end as fast as it comes, however slow the reader is: what
 * waits is in memory, and beyond some of that in a file. One reader; closing is thread-safe.
 */
final class ReadAhead extends InputStream {
  private static final int CHUNK = 256 * 1024;
  private static final int MOST_HELD = 16;

  private final InputStream source;

  private final Object lock = new Object();
  private final Queue<ByteBuffer> held = new ArrayDeque<>();
  // What came after what is held, and before what will be; from the one offset to the other.
  private @Nullable FileChannel file;
  private long fileFrom;
  private long fileTo;
  private boolean filing;
  private boolean over;
  private @Nullable Exception failure;
  private boolean closed;

  // Of the reader's thread.
  private ByteBuffer current = ByteBuffer.allocate(0);

  ReadAhead(InputStream source) {
    this.source = source;
  }

  /** Reads the source to its end and closes it; on a thread of its own. */
  void pump() {
    Exception broken = null;
    try {
      boolean more = true;
      while (more) {
        ByteBuffer chunk = ByteBuffer.allocate(CHUNK);
        chunk.limit(source.readNBytes(chunk.array(), 0, CHUNK));
        boolean full = chunk.limit() == CHUNK;
        more = keep(chunk) && full;
      }
    } catch (IOException | RuntimeException e) {
      // Told to the reader.
      broken = e;
    }
    Failures.closeQuietly(source);
    synchronized (lock) {
      over = true;
      failure = broken;
      lock.notifyAll();
    }
    closeFile();
  }

  /** Whether more is wanted. */
  private boolean keep(ByteBuffer chunk) throws IOException {
    int length = chunk.remaining();
    synchronized (lock) {
      if (filing && fileFrom == fileTo && held.isEmpty()) {
        filing = false;
        fileFrom = 0;
        fileTo = 0;
      }
      filing |= held.size() >= MOST_HELD;
      if (!filing) {
        held.add(chunk);
        lock.notifyAll();
        return !closed;
      }
    }
    // Only this thread changes the end.
    FileChannel to = file();
    while (chunk.hasRemaining()) {
      int unused = to.write(chunk, fileTo + chunk.position());
    }
    synchronized (lock) {
      fileTo += length;
      lock.notifyAll();
      return !closed;
    }
  }

  private FileChannel file() throws IOException {
    synchronized (lock) {
      if (file != null) {
        return file;
      }
    }
    Path path = Files.createTempFile("sandbox-", ".part");
    FileChannel opened = FileChannel.open(path, StandardOpenOption.READ, StandardOpenOption.WRITE);
    Files.delete(path);
    synchronized (lock) {
      file = opened;
    }
    return opened;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    if (length == 0) {
      return 0;
    }
    if (!current.hasRemaining() && !next()) {
      return -1;
    }
    int n = Math.min(length, current.remaining());
    current.get(target, offset, n);
    return n;
  }

  /** Waits for something to read. */
  private boolean next() throws IOException {
    FileChannel from;
    int length;
    synchronized (lock) {
      while (held.isEmpty() && fileFrom == fileTo && !over && !closed) {
        try {
          lock.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw new InterruptedIOException("interrupted while a file was read");
        }
      }
      if (closed) {
        throw new IOException("the stream is closed");
      }
      if (!held.isEmpty()) {
        current = held.remove();
        return true;
      }
      if (fileFrom == fileTo) {
        if (failure != null) {
          throw new IOException("the file was not read to its end", failure);
        }
        return false;
      }
      from = file;
      length = (int) Math.min(CHUNK, fileTo - fileFrom);
    }
    ByteBuffer chunk = ByteBuffer.allocate(length);
    while (from != null && chunk.hasRemaining()) {
      if (from.read(chunk, fileFrom + chunk.position()) < 0) {
        throw new IOException("what was read ahead is lost");
      }
    }
    current = chunk.flip();
    synchronized (lock) {
      fileFrom += length;
    }
    return true;
  }

  @Override
  public void close() {
    synchronized (lock) {
      closed = true;
      held.clear();
      lock.notifyAll();
    }
    Failures.closeQuietly(source);
    closeFile();
  }

  /** When neither side uses it any more. */
  private void closeFile() {
    FileChannel mine;
    synchronized (lock) {
      mine = closed && over ? file : null;
    }
    if (mine != null) {
      Failures.closeQuietly(mine);
    }
  }
}
