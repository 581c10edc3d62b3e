package io.sandboxspi.core.files;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Tells directories open to their owner first, and once more at the end, deepest first, as they
 * are: some unpackers close a directory before they have filled it, or forget its time. The very
 * last is an empty file, by which is seen that all has arrived.
 */
final class DirectoriesLastTree implements FileTree {
  private static final int OWNER = 0700;

  private final FileTree tree;
  private final List<TreeEntry> directories = new ArrayList<>();
  private final String end;
  private @Nullable Iterator<TreeEntry> last;

  /**
   * Over another tree.
   *
   * @param end the path of the last file
   */
  DirectoriesLastTree(FileTree tree, String end) {
    this.tree = tree;
    this.end = end;
  }

  @Override
  public Optional<TreeEntry> next() throws IOException, InterruptedException {
    Iterator<TreeEntry> again = last;
    if (again == null) {
      Optional<TreeEntry> next = tree.next();
      if (next.isPresent()) {
        return Optional.of(open(next.get()));
      }
      directories.sort((a, b) -> b.path().compareTo(a.path()));
      TreeEntry lastFile = TreeEntry.file(end, OWNER, 0, Instant.EPOCH);
      again = Stream.concat(directories.stream(), Stream.of(lastFile)).iterator();
      last = again;
    }
    return again.hasNext() ? Optional.of(again.next()) : Optional.empty();
  }

  /** The directories told that their owner may not use freely, deepest first; once at the end. */
  List<TreeEntry> closed() {
    return directories.stream().filter(each -> (each.mode() & OWNER) != OWNER).toList();
  }

  private TreeEntry open(TreeEntry entry) {
    if (entry.kind() != TreeEntry.Kind.DIRECTORY) {
      return entry;
    }
    directories.add(entry);
    return TreeEntry.directory(entry.path(), entry.mode() | OWNER, entry.modified());
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
