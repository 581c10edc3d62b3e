package io.sandboxspi.core.workspace;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts what is read, remembers whether reading failed, and leaves its source open. */
final class CountedStream extends FilterInputStream {
  private long count;
  private boolean failed;

  CountedStream(InputStream in) {
    super(in);
  }

  long count() {
    return count;
  }

  boolean failed() {
    return failed;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    try {
      int read = in.read(target, offset, length);
      count += Math.max(0, read);
      return read;
    } catch (IOException e) {
      failed = true;
      throw e;
    }
  }

  @Override
  public long skip(long wanted) throws IOException {
    byte[] passed = new byte[(int) Math.min(8192, Math.max(1, wanted))];
    return wanted <= 0 ? 0 : Math.max(0, read(passed, 0, passed.length));
  }

  @Override
  public void close() {
    // Its owner closes it.
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
