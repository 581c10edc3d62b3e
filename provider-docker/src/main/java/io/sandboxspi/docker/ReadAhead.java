package io.sandboxspi.docker;

import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Queue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A stream whose reader keeps the source waiting for a moment in all, and no longer: until then the
 * reader reads the source itself; from then on another thread reads it to its end as fast as it
 * comes. What waits is in memory, and beyond some of that in a file. One reader; closing is
 * thread-safe.
 */
final class ReadAhead extends InputStream {
  private static final int CHUNK = 256 * 1024;
  private static final int MOST_HELD = 16;
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);
  private static final long PATIENCE = TimeUnit.MILLISECONDS.toNanos(100);

  private final InputStream source;

  private final Object lock = new Object();
  // Whether the reader reads the source, and is at it; how long the source has waited for it.
  private boolean direct = true;
  private boolean reading;
  private long waited;
  private long waitsSince = System.nanoTime();
  private final Queue<ByteBuffer> held = new ArrayDeque<>();
  private final Queue<ByteBuffer> unused = new ArrayDeque<>();
  // What came after what is held, and before what will be; from the one offset to the other.
  private @Nullable FileChannel file;
  private long fileFrom;
  private long fileTo;
  private boolean filing;
  private boolean over;
  private @Nullable Exception failure;
  private boolean closed;

  // Of the reader's thread.
  private ByteBuffer current = NOTHING;

  ReadAhead(InputStream source) {
    this.source = source;
  }

  /** Reads the source to its end and closes it, once the reader is late; on a thread of its own. */
  void pump() {
    Exception broken = null;
    try {
      boolean more = takesOver();
      while (more) {
        ByteBuffer chunk = chunk();
        chunk.limit(source.readNBytes(chunk.array(), 0, CHUNK));
        boolean full = chunk.limit() == CHUNK;
        more = keep(chunk) && full;
      }
    } catch (IOException | RuntimeException e) {
      // Told to the reader.
      broken = e;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      broken = e;
    }
    end(broken);
  }

  private void end(@Nullable Exception broken) {
    Failures.closeQuietly(source);
    synchronized (lock) {
      if (!over) {
        over = true;
        failure = broken;
      }
      lock.notifyAll();
    }
    closeFile();
  }

  /** Waits until the reader is late; false if all is over before. */
  private boolean takesOver() throws InterruptedException {
    synchronized (lock) {
      while (direct && !over && !closed) {
        long left = PATIENCE - waited - (reading ? 0 : System.nanoTime() - waitsSince);
        if (left > 0 || reading) {
          TimeUnit.NANOSECONDS.timedWait(lock, Math.max(left, PATIENCE / 10));
        } else {
          direct = false;
        }
      }
      return !over && !closed;
    }
  }

  /** Whether the reader is in time: then nobody else touches the source. */
  private boolean inTime() throws IOException {
    synchronized (lock) {
      if (closed) {
        throw new IOException("the stream is closed");
      }
      if (!direct || over) {
        return false;
      }
      waited += System.nanoTime() - waitsSince;
      reading = waited <= PATIENCE;
      if (!reading) {
        direct = false;
        lock.notifyAll();
      }
      return reading;
    }
  }

  private int readSource(byte[] target, int offset, int length) throws IOException {
    int n = -1;
    Exception broken = null;
    try {
      n = source.read(target, offset, length);
    } catch (IOException | RuntimeException e) {
      broken = e;
    } finally {
      synchronized (lock) {
        reading = false;
        waitsSince = System.nanoTime();
      }
    }
    if (n < 0) {
      end(broken);
    }
    if (broken != null) {
      throw Thread.currentThread().isInterrupted() ? interrupted() : cut(broken);
    }
    return n;
  }

  private static IOException interrupted() {
    return new InterruptedIOException("interrupted while a file was read");
  }

  private static IOException cut(Exception cause) {
    return new IOException("the file was not read to its end", cause);
  }

  private ByteBuffer chunk() {
    synchronized (lock) {
      ByteBuffer again = unused.poll();
      return again == null ? ByteBuffer.allocate(CHUNK) : again.clear();
    }
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
      unused.add(chunk);
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
    if (inTime()) {
      return readSource(target, offset, length);
    }
    if (!current.hasRemaining() && !next()) {
      return -1;
    }
    int n = Math.min(length, current.remaining());
    current.get(target, offset, n);
    return n;
  }

  @Override
  public long transferTo(OutputStream out) throws IOException {
    byte[] buffer = new byte[CHUNK];
    long total = 0;
    for (int n = read(buffer, 0, CHUNK); n >= 0; n = read(buffer, 0, CHUNK)) {
      out.write(buffer, 0, n);
      total += n;
    }
    return total;
  }

  /** Waits for something to read. */
  private boolean next() throws IOException {
    FileChannel from;
    int length;
    synchronized (lock) {
      if (current.capacity() == CHUNK && unused.size() < MOST_HELD) {
        unused.add(current);
      }
      current = NOTHING;
      while (held.isEmpty() && fileFrom == fileTo && !over && !closed) {
        try {
          lock.wait();
        } catch (InterruptedException e) {
          Thread.currentThread().interrupt();
          throw interrupted();
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
          throw cut(failure);
        }
        return false;
      }
      from = file;
      length = (int) Math.min(CHUNK, fileTo - fileFrom);
    }
    ByteBuffer chunk = chunk().limit(length);
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
