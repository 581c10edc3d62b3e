package io.sandboxspi.core.workspace;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Fills a new directory of this machine, in which nobody else writes, with a checked tree. */
final class HostTreeWriter {
  private static final int CHUNK = 128 * 1024;

  private final Path top;
  private final byte[] chunk = new byte[CHUNK];
  private final List<TreeEntry> directories = new ArrayList<>();

  HostTreeWriter(Path top) {
    this.top = top;
  }

  void write(FileTree tree) throws IOException, InterruptedException {
    for (Optional<TreeEntry> next = tree.next(); next.isPresent(); next = tree.next()) {
      if (Thread.interrupted()) {
        throw new InterruptedException("interrupted during a download");
      }
      make(next.get(), tree);
    }
    directories.sort((a, b) -> b.path().compareTo(a.path()));
    for (TreeEntry directory : directories) {
      finish(top.resolve(directory.path()), directory);
    }
  }

  private void make(TreeEntry entry, FileTree tree) throws IOException, InterruptedException {
    Path path = top.resolve(entry.path());
    Path parent = path.getParent();
    if (parent != null) {
      Files.createDirectories(parent);
    }
    switch (entry.kind()) {
      case DIRECTORY -> {
        Files.createDirectories(path);
        directories.add(entry);
      }
      case LINK -> Files.createSymbolicLink(path, Path.of(entry.target()));
      case HARD_LINK -> Files.createLink(path, top.resolve(entry.target()));
      case FILE -> {
        try (OutputStream out = Files.newOutputStream(path, StandardOpenOption.CREATE_NEW)) {
          for (int count = read(tree, entry); count >= 0; count = read(tree, entry)) {
            out.write(chunk, 0, count);
          }
        }
        finish(path, entry);
      }
    }
  }

  private int read(FileTree tree, TreeEntry entry) throws IOException, InterruptedException {
    return entry.size() == 0 ? -1 : tree.read(chunk, 0, chunk.length);
  }

  private static void finish(Path path, TreeEntry entry) throws IOException {
    Files.setLastModifiedTime(path, FileTime.from(entry.modified()));
    Files.setPosixFilePermissions(path, permissions(entry.mode()));
  }

  static Set<PosixFilePermission> permissions(int mode) {
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    for (PosixFilePermission permission : PosixFilePermission.values()) {
      if ((mode & HostTree.mode(Set.of(permission))) != 0) {
        set.add(permission);
      }
    }
    return set;
  }
}
