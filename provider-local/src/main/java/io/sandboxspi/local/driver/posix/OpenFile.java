package io.sandboxspi.local.driver.posix;

import java.io.Closeable;
import java.io.IOException;

/** A file held open for reading. Linux only; for one thread at a time. */
public final class OpenFile implements Closeable {
  private static final int CHUNK = 128 * 1024;
  private static final NativeBuffer.Pool CHUNKS = new NativeBuffer.Pool(CHUNK);

  private final Fd fd;
  private final FileStatus status;

  OpenFile(int fd, FileStatus status) {
    this.fd = new Fd(fd, Posix::close);
    this.status = status;
  }

  /** What it was when it was opened. */
  public FileStatus status() {
    return status;
  }

  /** Reads; -1 at its end. */
  public int read(byte[] target, int offset, int length) throws IOException {
    NativeBuffer chunk = CHUNKS.take(CHUNK);
    try {
      long count;
      do {
        count = Posix.read(fd.number, chunk.address, Math.min(length, CHUNK));
      } while (count < 0 && Posix.errno() == Posix.EINTR);
      if (count < 0) {
        throw new IOException("it cannot be read (errno " + Posix.errno() + ")");
      }
      chunk.bytes.get(0, target, offset, (int) count);
      return count == 0 ? -1 : (int) count;
    } finally {
      CHUNKS.give(chunk);
    }
  }

  @Override
  public void close() {
    fd.close();
  }
}
