package io.sandboxspi;

import java.io.InputStream;
import java.util.List;

/**
 * Files of a sandbox. Paths are POSIX strings: relative to the workspace, or absolute inside it
 * (spec S-FILE-01). Links are resolved in the sandbox at the time of use and may not lead out of
 * the workspace. Thread-safe. Every call throws {@link ErrorCode#INVALID_PATH} for a bad path and
 * {@link ErrorCode#SESSION_CLOSED} once the session is closing; an interrupt or a cancelled {@link
 * CallScope} ends it as spec S-CANCEL-01 says.
 */
public interface SandboxFiles {
  /**
   * Reads a whole file.
   *
   * @throws SandboxException {@link ErrorCode#FILE_NOT_FOUND}, {@link ErrorCode#FILE_FAILED}
   */
  byte[] read(String path) throws InterruptedException;

  /** Opens a file for reading; the caller closes the stream. */
  InputStream open(String path) throws InterruptedException;

  /** Replaces a file atomically; makes missing parents (spec S-FILE-03). */
  void write(String path, byte[] content) throws InterruptedException;

  /** Replaces a file atomically with the rest of the stream, which stays open. */
  void write(String path, InputStream content) throws InterruptedException;

  /** Describes an entry; a link is described itself. */
  FileInfo stat(String path) throws InterruptedException;

  /** The entries of a directory, by name. */
  List<FileInfo> list(String path) throws InterruptedException;

  /** Makes a directory and its missing parents; an existing directory is fine. */
  void makeDirectories(String path) throws InterruptedException;

  /** Removes a file, a link (never its target) or an empty directory. */
  void remove(String path) throws InterruptedException;

  /** Removes a tree without following links; a missing path is fine. */
  void removeTree(String path) throws InterruptedException;
}
