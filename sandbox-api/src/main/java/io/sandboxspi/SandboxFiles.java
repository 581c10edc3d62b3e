package io.sandboxspi;

import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Path;
import java.util.List;
import java.util.function.LongConsumer;

/**
 * Files of a sandbox. Paths are POSIX strings: relative to the workspace, or absolute inside it or
 * inside a {@link PathGrant} of the spec (specs S-FILE-01, S-FILE-07). Links are resolved in the
 * sandbox at the time of use and may not lead out. Thread-safe. Every call throws {@link
 * ErrorCode#INVALID_PATH} for a bad path, {@link ErrorCode#FILE_NOT_FOUND} or {@link
 * ErrorCode#FILE_FAILED} for what the sandbox says, and {@link ErrorCode#SESSION_CLOSED} once the
 * session is closing; an interrupt or a cancelled {@link CallScope} ends it as spec S-CANCEL-01
 * says. Streams given to a call are used by another thread until it returns, and stay open.
 */
public interface SandboxFiles {
  /**
   * The same files, as another user of the sandbox sees and makes them (spec S-USER-02): what the
   * account may not do fails, and what it makes is its own.
   *
   * @param name an account of the sandbox
   * @throws SandboxException {@link ErrorCode#UNSUPPORTED} without {@link Capability#USERS}; a call
   *     on the result throws {@link ErrorCode#USER_NOT_FOUND}
   */
  SandboxFiles asUser(String name);

  /** Reads a whole file into memory. */
  byte[] read(String path) throws InterruptedException;

  /**
   * Reads a whole file into memory if it is not too large.
   *
   * @param maxBytes the largest size, 0 to 2 147 483 639
   * @throws SandboxException {@link ErrorCode#LIMIT_EXCEEDED} for a larger one
   */
  byte[] read(String path, int maxBytes) throws InterruptedException;

  /** Opens a file for reading; the caller closes the stream. */
  InputStream open(String path) throws InterruptedException;

  /** Replaces a file atomically; makes missing parents (spec S-FILE-03). */
  void write(String path, byte[] content) throws InterruptedException;

  /** Replaces a file atomically with the rest of the stream. */
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

  /**
   * Renames an entry, a link itself, and makes missing parents of the new name. A file or link of
   * that name is replaced at once; a directory is an error (spec S-FILE-05). Both paths are in the
   * workspace, or both in one grant.
   */
  void move(String from, String to) throws InterruptedException;

  /**
   * Sets the permissions of a file or directory (spec S-FILE-06).
   *
   * @param permissions one to four octal digits, for instance {@code "0644"}
   */
  void setPermissions(String path, String permissions) throws InterruptedException;

  /**
   * Copies a file or a directory with all below it into the sandbox, with permissions and times
   * (spec S-FILE-08). A file replaces a file; a directory is made or merged into. Links in a
   * directory stay links and must not lead out of it.
   *
   * @param source on the caller's side
   */
  void upload(Path source, String path) throws InterruptedException;

  /**
   * As the other one, and tells how it goes on.
   *
   * @param moved told of each piece of content how many bytes it has, on another thread; must
   *     return at once
   */
  void upload(Path source, String path, LongConsumer moved) throws InterruptedException;

  /**
   * Copies a file or a directory with all below it out of the sandbox (spec S-FILE-08). A link that
   * leads out of the directory is an error.
   *
   * @param target on the caller's side: a file is replaced, a directory must not exist
   */
  void download(String path, Path target) throws InterruptedException;

  /**
   * As the other one, and tells how it goes on.
   *
   * @param moved told of each piece of content how many bytes it has, on another thread; must
   *     return at once
   */
  void download(String path, Path target, LongConsumer moved) throws InterruptedException;

  /**
   * Writes a directory as an archive (spec S-ARCH-01).
   *
   * @param excludes paths relative to the directory, each left out with all below it
   */
  ArchiveSummary persist(
      String path, List<String> excludes, ArchiveFormat format, OutputStream target)
      throws InterruptedException;

  /**
   * Replaces the content of a directory with an archive's (spec S-ARCH-04): a tar, plain or
   * compressed by gzip or Zstandard, or a zip. Until everything is unpacked and checked the
   * directory is as it was.
   *
   * @throws SandboxException {@link ErrorCode#INVALID_ARCHIVE}, {@link ErrorCode#LIMIT_EXCEEDED}
   */
  ArchiveSummary hydrate(String path, InputStream archive, ArchiveLimits limits)
      throws InterruptedException;

  /**
   * Adds the content of an archive to a directory, which is made if it is missing (spec S-ARCH-07).
   * Files are replaced, directories merged into; nothing is written before everything is unpacked
   * beside it and checked.
   *
   * @throws SandboxException {@link ErrorCode#INVALID_ARCHIVE}, {@link ErrorCode#LIMIT_EXCEEDED}
   */
  ArchiveSummary extract(String path, InputStream archive, ArchiveLimits limits)
      throws InterruptedException;
}
