package io.sandboxspi.remote.cloudflare;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Content of a known length: a shorter or longer one is an error. */
final class WholeStream extends FilterInputStream {
  private final Runnable closing;
  private long left;
  private boolean closed;

  /**
   * Around a body.
   *
   * @param closing run once, at the first close
   */
  WholeStream(InputStream body, long size, Runnable closing) {
    super(body);
    this.left = size;
    this.closing = closing;
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    int n = in.read(into, offset, length);
    left -= Math.max(n, 0);
    if (left < 0 || (n < 0 && left > 0)) {
      throw new IOException("the file did not come as it is: " + Math.abs(left) + " bytes differ");
    }
    return n;
  }

  @Override
  public void close() throws IOException {
    if (!closed) {
      closed = true;
      try {
        in.close();
      } finally {
        closing.run();
      }
    }
  }
}
