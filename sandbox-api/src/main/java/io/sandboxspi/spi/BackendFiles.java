package io.sandboxspi.spi;

import io.sandboxspi.FileInfo;
import java.io.InputStream;
import java.util.List;

/**
 * Files of a backend. Paths are checked and normalised by the engine: POSIX, relative to the
 * workspace, without empty, {@code .} or {@code ..} parts; {@code .} alone is the workspace. Links
 * are resolved at the time of use; one that leads out of the workspace is refused with {@link
 * io.sandboxspi.ErrorCode#INVALID_PATH} (spec S-FILE-02). Thread-safe.
 */
public interface BackendFiles {
  /** The workspace's absolute path in the sandbox. */
  String workspace();

  /** Opens a file; the engine closes the stream. */
  InputStream open(String path, Deadline deadline) throws InterruptedException;

  /** Replaces a file atomically with the rest of the stream; makes missing parents. */
  void write(String path, InputStream content, Deadline deadline) throws InterruptedException;

  /** Describes an entry; a link is described itself. */
  FileInfo stat(String path, Deadline deadline) throws InterruptedException;

  /** The entries of a directory, in any order. */
  List<FileInfo> list(String path, Deadline deadline) throws InterruptedException;

  /** Makes a directory and its missing parents; an existing directory is fine. */
  void makeDirectories(String path, Deadline deadline) throws InterruptedException;

  /**
   * Removes an entry, a link itself and never its target.
   *
   * @param tree whether a directory goes with all in it and a missing path is fine
   */
  void remove(String path, boolean tree, Deadline deadline) throws InterruptedException;
}
