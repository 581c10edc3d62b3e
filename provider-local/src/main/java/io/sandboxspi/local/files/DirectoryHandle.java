package io.sandboxspi.local.files;

import io.sandboxspi.local.driver.posix.OpenDirectory;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.util.Optional;

/**
 * A directory that stays the same whatever happens to its name. On Linux it is held open, and its
 * entries are reached through the descriptor; elsewhere by its path, without that promise.
 */
final class DirectoryHandle implements AutoCloseable {
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

  /** The path of an entry; {@code .} for itself. */
  Path entry(String name) {
    return path.resolve(name);
  }

  @Override
  public void close() {
    open.ifPresent(OpenDirectory::close);
  }
}
