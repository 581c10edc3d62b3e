package io.sandboxspi.core.files;

import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.util.Optional;

/**
 * Moves contents of files past the shell, which has found out where they are: a way of the backend
 * that is faster than the streams of a process. It may see other files than the shell does, so it
 * makes sure of the one it is asked for. Thread-safe.
 */
public interface FileCarrier {
  /**
   * Whether it is the better way for a content; makes no call.
   *
   * @param size in bytes; −1 if it is not known
   */
  boolean takes(long size);

  /**
   * Opens a file.
   *
   * @return empty if it sees another file there or none; the stream fails if it ends early
   */
  Optional<InputStream> open(SeenFile file, Deadline deadline) throws InterruptedException;

  /**
   * Fills a file that the shell has just made, and may make it anew; its owner and mode stay.
   *
   * @param size what is sent of the content, less of it is a failure; −1 for all of it
   * @return false, with nothing read of the content, if it sees another file there or none
   */
  boolean fill(SeenFile file, InputStream content, long size, Deadline deadline)
      throws InterruptedException;
}
