package io.sandboxspi.tck.plain;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** A directory as a tree, and back. */
final class PlainTree implements FileTree {
  private final Path top;
  private final Iterator<Path> paths;
  private InputStream content = InputStream.nullInputStream();

  PlainTree(Path top, List<String> excludes) throws IOException {
    this.top = top;
    try (Stream<Path> all = Files.walk(top)) {
      this.paths =
          all.filter(path -> !path.equals(top))
              .filter(path -> excludes.stream().noneMatch(x -> path.startsWith(top.resolve(x))))
              .sorted()
              .toList()
              .iterator();
    }
  }

  @Override
  public Optional<TreeEntry> next() throws IOException {
    content.close();
    content = InputStream.nullInputStream();
    while (paths.hasNext()) {
      Path path = paths.next();
      String name = top.relativize(path).toString();
      PosixFileAttributes facts =
          Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      FileTime modified = facts.lastModifiedTime();
      if (facts.isDirectory()) {
        return Optional.of(TreeEntry.directory(name, mode(facts), modified.toInstant()));
      }
      if (facts.isSymbolicLink()) {
        String target = Files.readSymbolicLink(path).toString();
        return Optional.of(TreeEntry.link(name, target, modified.toInstant()));
      }
      if (facts.isRegularFile()) {
        content = Files.newInputStream(path);
        return Optional.of(TreeEntry.file(name, mode(facts), facts.size(), modified.toInstant()));
      }
    }
    return Optional.empty();
  }

  private static int mode(PosixFileAttributes facts) {
    int mode = 0;
    for (PosixFilePermission permission : facts.permissions()) {
      mode |= 1 << (8 - permission.ordinal());
    }
    return mode;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException {
    return content.read(target, offset, length);
  }

  @Override
  public void close() throws IOException {
    content.close();
  }

  /** Fills a new directory. */
  static void write(Path top, FileTree tree) throws IOException, InterruptedException {
    Files.createDirectories(top);
    byte[] buffer = new byte[8192];
    for (Optional<TreeEntry> next = tree.next(); next.isPresent(); next = tree.next()) {
      TreeEntry entry = next.get();
      Path path = top.resolve(entry.path());
      Files.createDirectories(path.getParent());
      switch (entry.kind()) {
        case DIRECTORY -> Files.createDirectories(path);
        case LINK -> Files.createSymbolicLink(path, Path.of(entry.target()));
        case HARD_LINK -> Files.createLink(path, top.resolve(entry.target()));
        case FILE -> {
          try (OutputStream out = Files.newOutputStream(path)) {
            for (int n = tree.read(buffer, 0, 8192); n >= 0; n = tree.read(buffer, 0, 8192)) {
              out.write(buffer, 0, n);
            }
          }
          Files.setLastModifiedTime(path, FileTime.from(entry.modified()));
        }
      }
      if (entry.kind() == TreeEntry.Kind.FILE || entry.kind() == TreeEntry.Kind.DIRECTORY) {
        Files.setPosixFilePermissions(path, permissions(entry.mode()));
      }
    }
  }

  private static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      if ((mode & (1 << (8 - permission.ordinal()))) != 0) {
        permissions.add(permission);
      }
    }
    return permissions;
  }
}
