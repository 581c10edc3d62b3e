package io.sandboxspi;

import java.io.InputStream;
import java.io.OutputStream;

/**
 * A live connection to a PTY, for people and web terminals. Thread-safe; one reader and one writer
 * at a time make sense.
 */
public interface PtyStream extends AutoCloseable {
  /** The PTY's id. */
  int id();

  /**
   * Raw output; at its end when the PTY has ended. An interrupt ends a read with {@link
   * java.io.InterruptedIOException}; closing this stream object ends it with an error.
   */
  InputStream output();

  /**
   * Raw input, in turn with {@link Ptys#write}; bounded by 10 s for each write. Closing it does
   * nothing: a terminal's input is ended by Ctrl-D.
   *
   * @throws SandboxException {@link ErrorCode#STDIN_UNAVAILABLE} without a terminal
   */
  OutputStream input();

  /** Lets the PTY go on without it; what was not read counts as dropped. Idempotent. */
  @Override
  void close();
}
