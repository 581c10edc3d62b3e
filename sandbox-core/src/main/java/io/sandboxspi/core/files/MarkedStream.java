package io.sandboxspi.core.files;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.util.Arrays;

/**
 * A content with a mark behind it that only its reader knows: one that ends without the mark was
 * cut short on its way, however well the way says that it ended.
 */
final class MarkedStream extends FilterInputStream {
  private static final int CHUNK = 64 * 1024;

  private final byte[] mark;
  private final byte[] held;
  private int from;
  private int to;
  private boolean over;

  MarkedStream(InputStream in, String mark) {
    super(in);
    this.mark = mark.getBytes(US_ASCII);
    this.held = new byte[this.mark.length + CHUNK];
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
    while (!over && to - from <= mark.length) {
      fill();
    }
    int count = Math.min(length, to - from - mark.length);
    if (count <= 0) {
      return -1;
    }
    System.arraycopy(held, from, target, offset, count);
    from += count;
    return count;
  }

  /** What may be the mark stays behind. */
  private void fill() throws IOException {
    System.arraycopy(held, from, held, 0, to - from);
    to -= from;
    from = 0;
    int count = in.read(held, to, held.length - to);
    if (count >= 0) {
      to += count;
    } else if (Arrays.equals(held, 0, to, mark, 0, mark.length)) {
      over = true;
    } else {
      throw new IOException("the file was not read to its end: the stream was cut short");
    }
  }

  @Override
  public long skip(long wanted) throws IOException {
    byte[] passed = new byte[(int) Math.min(8192, Math.max(1, wanted))];
    return wanted <= 0 ? 0 : Math.max(0, read(passed, 0, passed.length));
  }

  @Override
  public int available() throws IOException {
    return Math.max(0, to - from - mark.length);
  }

  @Override
  public boolean markSupported() {
    return false;
  }
}
