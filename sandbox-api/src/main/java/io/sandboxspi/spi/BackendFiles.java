package io.sandboxspi.spi;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
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

  /**
   * The same, with what is known of the content's size, which some ways to a sandbox need before
   * the content.
   *
   * @param size bytes that the content is expected to hold; what comes behind them may be left, and
   *     less is a failure or a shorter file
   */
  default void write(String path, InputStream content, long size, Deadline deadline)
      throws InterruptedException {
    write(path, content, deadline);
  }

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

  /**
   * Renames an entry, a link itself; makes missing parents of the new name. A file or link there is
   * replaced at once, a directory is not.
   */
  default void move(String from, String to, Deadline deadline) throws InterruptedException {
    throw unsupported(Operation.FILE_MOVE);
  }

  /**
   * Sets the mode of a file or directory; a link at the end is followed.
   *
   * @param mode 0 to 07777
   */
  default void setMode(String path, int mode, Deadline deadline) throws InterruptedException {
    throw unsupported(Operation.FILE_PERMISSIONS);
  }

  /**
   * Reads a directory with all below it (spec S-ARCH-01). Links are told, never followed; what is
   * no file, directory or link is left out. The engine closes the tree.
   *
   * @param excludes normal paths relative to the directory; each is left out with all below it
   */
  default FileTree readTree(String path, List<String> excludes, Deadline deadline)
      throws InterruptedException {
    throw unsupported(Operation.FILE_DOWNLOAD);
  }

  /**
   * Makes a directory that does not exist and fills it with a tree. The engine has checked that no
   * entry leaves it and none lies below a link or file; set-id bits are not restored. After a
   * failure the engine removes what there is.
   */
  default void writeTree(String path, FileTree tree, Deadline deadline)
      throws InterruptedException {
    throw unsupported(Operation.FILE_UPLOAD);
  }

  /**
   * Puts the entries of one directory in the place of all entries of another, which stays the same
   * directory, and removes the emptied one and what was there before (spec S-ARCH-04). The first is
   * an entry of the second. A failure before the new entries are complete puts the old ones back.
   *
   * @param staged the path of the directory with the new entries
   */
  default void replaceContent(String path, String staged, Deadline deadline)
      throws InterruptedException {
    TreeSwitch.replaceContent(this, path, staged, deadline);
  }

  /**
   * Files below another directory of the sandbox, with paths relative to it and links that stay in
   * it (spec S-FILE-07).
   *
   * @param root an absolute normal path; that its real path is {@code /} is an error when it is
   *     used
   */
  default BackendFiles within(String root) {
    throw unsupported(Operation.VALIDATE);
  }

  /**
   * The same files, as this account of the sandbox sees and makes them (spec S-USER-02); with
   * {@link io.sandboxspi.Capability#USERS}.
   */
  default BackendFiles asUser(String user) {
    throw unsupported(Operation.VALIDATE);
  }

  private static SandboxException unsupported(Operation operation) {
    return SandboxException.of(
        ErrorCode.UNSUPPORTED, operation, "the provider's files do not offer this: " + operation);
  }
}
