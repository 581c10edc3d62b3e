package io.sandboxspi.docker.attach;

import io.sandboxspi.spi.OutputChannel;
import java.io.IOException;
import java.nio.ByteBuffer;

/**
 * Splits the engine's frames: a byte for the stream, three zero bytes, a length of four bytes, then
 * the payload. Anything else is an error. Not thread-safe.
 */
final class StreamDemux {
  private static final int HEADER = 8;
  private static final int FRAME_LIMIT = 16 * 1024 * 1024;

  private final boolean terminal;
  private final ByteBuffer header = ByteBuffer.allocate(HEADER);
  private OutputChannel channel = OutputChannel.STDOUT;
  private int left;

  /** Receives payload. */
  interface Payload {
    /** Takes all of the bytes; whether to go on. */
    boolean take(OutputChannel channel, ByteBuffer bytes);
  }

  /**
   * For one stream.
   *
   * @param terminal whether it comes from a terminal, which has no frames
   */
  StreamDemux(boolean terminal) {
    this.terminal = terminal;
  }

  /** Whether the stream may end here. */
  boolean between() {
    return left == 0 && header.position() == 0;
  }

  /** Hands over payload until the bytes are at their end or the receiver has enough. */
  boolean feed(ByteBuffer bytes, Payload to) throws IOException {
    if (terminal) {
      return !bytes.hasRemaining() || to.take(OutputChannel.STDOUT, bytes);
    }
    while (bytes.hasRemaining()) {
      if (left == 0) {
        while (header.hasRemaining() && bytes.hasRemaining()) {
          header.put(bytes.get());
        }
        if (header.hasRemaining()) {
          return true;
        }
        begin();
        continue;
      }
      int n = Math.min(left, bytes.remaining());
      ByteBuffer piece = bytes.slice().limit(n);
      bytes.position(bytes.position() + n);
      left -= n;
      if (!to.take(channel, piece)) {
        return false;
      }
    }
    return true;
  }

  private void begin() throws IOException {
    header.flip();
    int first = header.getInt();
    left = header.getInt();
    header.clear();
    channel =
        switch (first) {
          case 0x01000000 -> OutputChannel.STDOUT;
          case 0x02000000 -> OutputChannel.STDERR;
          default -> throw new IOException("the engine's stream has a malformed frame");
        };
    if (left < 0 || left > FRAME_LIMIT) {
      throw new IOException("the engine's stream has a frame of a malformed length");
    }
  }
}
