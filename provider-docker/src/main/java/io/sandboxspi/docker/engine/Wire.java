package io.sandboxspi.docker.engine;

import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * A connection's bytes, encrypted or not. Blocks or does not as its channel is configured. One
 * reader and one writer at a time; closing is thread-safe and frees both.
 */
public interface Wire extends Closeable {
  /** What to select on. */
  SocketChannel channel();

  /** Reads some bytes; 0 when there are none and the channel does not block, -1 at the end. */
  int read(ByteBuffer into) throws IOException;

  /** Takes some of the bytes; 0 when none are taken and the channel does not block. */
  int write(ByteBuffer from) throws IOException;

  /** Sends on what was taken; whether nothing of it is left. */
  boolean flush() throws IOException;

  /** Ends the output; the input goes on. */
  void shutdownOutput() throws IOException;

  @Override
  void close();
}
