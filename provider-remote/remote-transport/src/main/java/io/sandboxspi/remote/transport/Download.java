package io.sandboxspi.remote.transport;

import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;

/** A body that is read; a reader that waits too long gets an error. */
final class Download extends FilterInputStream {
  private final HttpCall call;
  private final Duration idle;
  private final IdleWatch watch;
  private volatile boolean stalled;

  Download(HttpCall call, InputStream body, Duration idle) {
    super(body);
    this.call = call;
    this.idle = idle;
    this.watch = new IdleWatch(idle, this::stall);
    watch.suspend(true);
  }

  private void stall() {
    stalled = true;
    try {
      in.close();
    } catch (IOException closed) {
      stalled = true;
    }
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    watch.suspend(false);
    int n;
    try {
      n = in.read(into, offset, length);
    } catch (IOException e) {
      throw new IOException(
          stalled
              ? call.what() + ": nothing came for " + idle.toSeconds() + " s"
              : call.what() + ": the connection broke before the end",
          e);
    } finally {
      watch.suspend(true);
    }
    if (stalled) {
      throw new IOException(call.what() + ": nothing came for " + idle.toSeconds() + " s");
    }
    if (n < 0) {
      watch.close();
    }
    return n;
  }

  @Override
  public void close() throws IOException {
    watch.close();
    in.close();
  }
}
