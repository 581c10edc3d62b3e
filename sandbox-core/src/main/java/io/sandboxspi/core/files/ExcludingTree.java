package io.sandboxspi.core.files;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/** Leaves out paths with all below them. */
final class ExcludingTree implements FileTree {
  private final FileTree tree;
  private final Set<String> excludes;

  ExcludingTree(FileTree tree, List<String> excludes) {
    this.tree = tree;
    this.excludes = Set.copyOf(excludes);
  }

  @Override
  public Optional<TreeEntry> next() throws IOException, InterruptedException {
    Optional<TreeEntry> next = tree.next();
    while (next.isPresent() && excluded(next.get().path())) {
      next = tree.next();
    }
    return next;
  }

  private boolean excluded(String path) {
    for (int at = path.length();
        at > 0 && !excludes.isEmpty();
        at = path.lastIndexOf('/', at - 1)) {
      if (excludes.contains(path.substring(0, at))) {
        return true;
      }
    }
    return false;
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException, InterruptedException {
    return tree.read(target, offset, length);
  }

  @Override
  public void close() throws IOException {
    tree.close();
  }
}
