package io.sandboxspi.docker.engine;

import io.sandboxspi.docker.engine.EngineException.Kind;
import java.io.IOException;
import java.io.InputStream;
import java.util.Objects;

/** Bodies of answers. A body that ends early is an error, never a short answer. */
final class HttpBody extends InputStream {
  private final HttpConnection connection;
  private final boolean chunked;
  private boolean first = true;
  // Of the body or of the chunk; -1 for all there is.
  private long left;
  private boolean over;

  private HttpBody(HttpConnection connection, boolean chunked, long left) {
    this.connection = connection;
    this.chunked = chunked;
    this.left = left;
  }

  static InputStream chunked(HttpConnection connection) {
    return new HttpBody(connection, true, 0);
  }

  static InputStream ofLength(HttpConnection connection, long length) {
    return new HttpBody(connection, false, length);
  }

  static InputStream toEnd(HttpConnection connection) {
    return new HttpBody(connection, false, -1);
  }

  @Override
  public int read() throws IOException {
    byte[] one = new byte[1];
    return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
  }

  @Override
  public int read(byte[] into, int offset, int length) throws IOException {
    Objects.checkFromIndexSize(offset, length, into.length);
    if (length == 0) {
      return 0;
    }
    if (over || (left == 0 && !nextChunk())) {
      return -1;
    }
    int most = left < 0 ? length : (int) Math.min(length, left);
    int n = connection.read(into, offset, most);
    if (n < 0) {
      over = true;
      if (left < 0) {
        return -1;
      }
      throw new EngineException(Kind.BROKEN, "the engine's answer ended early");
    }
    if (left > 0) {
      left -= n;
    }
    return n;
  }

  private boolean nextChunk() {
    if (!chunked) {
      over = true;
      return false;
    }
    if (!first && !connection.line().isEmpty()) {
      throw new EngineException(Kind.MALFORMED, "a chunk of the engine's answer has a bad end");
    }
    first = false;
    String size = connection.line();
    int extension = size.indexOf(';');
    try {
      left = Long.parseLong((extension < 0 ? size : size.substring(0, extension)).strip(), 16);
    } catch (NumberFormatException e) {
      throw new EngineException(Kind.MALFORMED, "a chunk of the engine's answer has no size", e);
    }
    over = left <= 0;
    return !over;
  }
}
