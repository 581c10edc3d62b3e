package io.sandboxspi.local.files;

import io.sandboxspi.local.driver.posix.OpenDirectory;
import io.sandboxspi.local.driver.posix.OpenEntry;
import io.sandboxspi.local.driver.posix.OpenFile;
import java.io.IOException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Optional;

/**
 * A directory that stays the same whatever happens to its name. On Linux it is held open, and its
 * entries are reached through the descriptor; elsewhere by its path, without that promise.
 */
final class DirectoryHandle implements AutoCloseable {
  private static final boolean QUICK = OpenDirectory.SUPPORTED && OpenDirectory.knowsStatus();

  private final Path path;
  private final Optional<OpenDirectory> open;

  private DirectoryHandle(Path path, Optional<OpenDirectory> open) {
    this.path = open.map(OpenDirectory::path).orElse(path);
    this.open = open;
  }

  static DirectoryHandle root(Path root) throws IOException {
    if (!OpenDirectory.SUPPORTED) {
      return new DirectoryHandle(root, Optional.empty());
    }
    return new DirectoryHandle(root, Optional.of(OpenDirectory.open(root.toString())));
  }

  /** An entry that is a directory and no link. */
  DirectoryHandle child(String name) throws IOException {
    if (open.isPresent()) {
      return new DirectoryHandle(path, Optional.of(open.get().child(name)));
    }
    Path child = path.resolve(name);
    if (!Files.isDirectory(child, LinkOption.NOFOLLOW_LINKS)) {
      throw new NotDirectoryException(name);
    }
    return new DirectoryHandle(child, Optional.empty());
  }

  /** What is known of an entry, a link itself. */
  Facts facts(String name) throws IOException {
    return open.isPresent() && QUICK
        ? Facts.of(open.get().status(name))
        : Facts.of(path.resolve(name));
  }

  /** Opens an entry that is no link for reading, where that is possible in a quick way. */
  Optional<OpenFile> file(String name) throws IOException {
    return open.isPresent() && QUICK ? Optional.of(open.get().file(name)) : Optional.empty();
  }

  /**
   * An entry that stays the same, no link; elsewhere than on Linux its path, without that promise.
   */
  Pinned pin(String name) throws IOException {
    if (open.isPresent()) {
      OpenEntry entry = open.get().entry(name);
      return new Pinned(entry.path(), Optional.of(entry));
    }
    Path entry = path.resolve(name);
    if (Files.isSymbolicLink(entry)) {
      throw new FileSystemException(name);
    }
    return new Pinned(entry, Optional.empty());
  }

  /** Sets the time of the last change of an entry, a link itself where that is possible. */
  void setModified(String name, Instant modified) throws IOException {
    if (open.isPresent()) {
      open.get().setModified(name, modified);
    } else if (!Files.isSymbolicLink(path.resolve(name))) {
      Files.setLastModifiedTime(path.resolve(name), FileTime.from(modified));
    }
  }

  /**
   * An entry held open.
   *
   * @param path leads to it, whatever has its name now
   */
  record Pinned(Path path, Optional<OpenEntry> held) implements AutoCloseable {
    @Override
    public void close() {
      held.ifPresent(OpenEntry::close);
    }
  }

  /** The path of an entry; {@code .} for itself. */
  Path entry(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() {
    open.ifPresent(OpenDirectory::close);
  }
}
