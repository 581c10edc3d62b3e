package io.sandboxspi.core.workspace;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SeekableByteChannel;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.SecureDirectoryStream;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFileAttributeView;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory of this machine as a tree, by name in order. Where the system can, each directory is
 * held open while it is read, so that a link that comes in its place is not followed.
 */
final class HostTree implements FileTree {
  private static final Set<OpenOption> READ =
      Set.of(StandardOpenOption.READ, LinkOption.NOFOLLOW_LINKS);

  private final Deque<Level> levels = new ArrayDeque<>();
  private @Nullable SeekableByteChannel content;
  private String path = "";
  private long left;

  /** A directory on the way. */
  private record Level(
      DirectoryStream<Path> stream, Path directory, String prefix, Iterator<String> names) {
    PosixFileAttributes attributes(String name) throws IOException {
      Optional<SecureDirectoryStream<Path>> secure = secure();
      if (secure.isPresent()) {
        return secure
            .get()
            .getFileAttributeView(
                Path.of(name), PosixFileAttributeView.class, LinkOption.NOFOLLOW_LINKS)
            .readAttributes();
      }
      return Files.readAttributes(
          directory.resolve(name), PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }

    SeekableByteChannel open(String name) throws IOException {
      Optional<SecureDirectoryStream<Path>> secure = secure();
      return secure.isPresent()
          ? secure.get().newByteChannel(Path.of(name), READ)
          : Files.newByteChannel(directory.resolve(name), READ);
    }

    DirectoryStream<Path> child(String name) throws IOException {
      Optional<SecureDirectoryStream<Path>> secure = secure();
      return secure.isPresent()
          ? secure.get().newDirectoryStream(Path.of(name), LinkOption.NOFOLLOW_LINKS)
          : Files.newDirectoryStream(directory.resolve(name));
    }

    private Optional<SecureDirectoryStream<Path>> secure() {
      return stream instanceof SecureDirectoryStream<Path> secure
          ? Optional.of(secure)
          : Optional.empty();
    }
  }

  /** Reads a directory; a link to one is followed. */
  HostTree(Path directory) throws IOException {
    enter(Files.newDirectoryStream(directory), directory, "");
  }

  /**
   * Takes over an open directory.
   *
   * @param directory its path
   */
  HostTree(DirectoryStream<Path> stream, Path directory) throws IOException {
    enter(stream, directory, "");
  }

  private void enter(DirectoryStream<Path> stream, Path directory, String prefix)
      throws IOException {
    List<String> names = new ArrayList<>();
    boolean done = false;
    try {
      for (Path entry : stream) {
        names.add(String.valueOf(entry.getFileName()));
      }
      names.sort(null);
      levels.push(new Level(stream, directory, prefix, names.iterator()));
      done = true;
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    } finally {
      if (!done) {
        stream.close();
      }
    }
  }

  @Override
  public Optional<TreeEntry> next() throws IOException {
    closeContent();
    while (!levels.isEmpty()) {
      Level level = levels.element();
      if (!level.names().hasNext()) {
        levels.pop().stream().close();
        continue;
      }
      String name = level.names().next();
      path = level.prefix() + name;
      Optional<TreeEntry> entry = entry(level, name);
      if (entry.isPresent()) {
        return entry;
      }
    }
    return Optional.empty();
  }

  /** Empty for what is in no tree. */
  private Optional<TreeEntry> entry(Level level, String name) throws IOException {
    PosixFileAttributes facts = level.attributes(name);
    int mode = mode(facts.permissions());
    if (facts.isSymbolicLink()) {
      String target = Files.readSymbolicLink(level.directory().resolve(name)).toString();
      return Optional.of(TreeEntry.link(path, target, facts.lastModifiedTime().toInstant()));
    }
    if (facts.isDirectory()) {
      enter(level.child(name), level.directory().resolve(name), path + "/");
      return Optional.of(TreeEntry.directory(path, mode, facts.lastModifiedTime().toInstant()));
    }
    if (!facts.isRegularFile()) {
      return Optional.empty();
    }
    SeekableByteChannel channel = level.open(name);
    content = channel;
    left = channel.size();
    return Optional.of(TreeEntry.file(path, mode, left, facts.lastModifiedTime().toInstant()));
  }

  static int mode(Set<PosixFilePermission> permissions) {
    int mode = 0;
    for (PosixFilePermission permission : permissions) {
      mode |= 1 << (PosixFilePermission.values().length - 1 - permission.ordinal());
    }
    return mode;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    SeekableByteChannel file = content;
    if (file == null || left == 0) {
      return -1;
    }
    int count = file.read(ByteBuffer.wrap(target, offset, (int) Math.min(length, left)));
    if (count < 0) {
      throw new IOException("\"" + path + "\" became shorter while it was read");
    }
    left -= count;
    return count;
  }

  private void closeContent() throws IOException {
    SeekableByteChannel file = content;
    content = null;
    left = 0;
    if (file != null) {
      file.close();
    }
  }

  @Override
  public void close() throws IOException {
    for (Level level : levels) {
      level.stream().close();
    }
    levels.clear();
    closeContent();
  }
}
