package io.sandboxspi.core.workspace;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Counts what is read. */
final class CountedStream extends FilterInputStream {
  private long count;

  CountedStream(InputStream in) {
    super(in);
  }

  long count() {
    return count;
  }

  @Override
  public int read() throws IOException {
    int value = in.read();
    count += value < 0 ? 0 : 1;
    return value;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    int read = in.read(target, offset, length);
    count += Math.max(0, read);
    return read;
  }

  @Override
  public long skip(long wanted) throws IOException {
    long skipped = in.skip(wanted);
    count += skipped;
    return skipped;
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
