package io.sandboxspi.local.driver;

import java.nio.ByteBuffer;

/**
 * Told what a process does: one call at a time for each process, on a thread of the driver, maybe
 * before {@code spawn} has returned. The methods never block and never throw.
 */
public interface DriverListener {
  /** Standard output; everything on a terminal. */
  int STDOUT = 1;

  /** Standard error of a process on pipes. */
  int STDERR = 2;

  /**
   * Hands over output.
   *
   * @param bytes valid during the call only
   * @return whether to go on; after {@code false} nothing more is delivered until {@link
   *     DriverProcess#resumeOutput()}, without loss
   */
  boolean onOutput(int stream, ByteBuffer bytes);

  /** No more output will come; exactly once unless released before. */
  void onOutputClosed();

  /**
   * The process has ended; exactly once, also after a release. A descendant that holds the output
   * open makes this come before {@link #onOutputClosed()}.
   *
   * @param code 0 to 255; 0 when a signal ended it
   * @param signal the signal that ended it; 0 for none
   */
  void onExit(int code, int signal);

  /**
   * The process has ended but how is not known; instead of {@link #onExit}.
   *
   * @param cause one sentence
   */
  void onExitUnknown(String cause);
}
