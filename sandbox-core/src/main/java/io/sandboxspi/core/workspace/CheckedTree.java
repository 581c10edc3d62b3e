package io.sandboxspi.core.workspace;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * A tree of which every entry that it hands out may be unpacked into an empty directory, and which
 * ends only if all its links stay inside (specs S-ARCH-02, S-ARCH-03).
 */
final class CheckedTree implements FileTree {
  private static final int MOST_LINKS = 40;
  private static final int PERMISSIONS = 0777;
  private static final long RATIO_FREE = 1 << 20;

  private final FileTree tree;
  private final ArchiveLimits limits;
  private final boolean outsideLinks;
  private final LongSupplier bytesIn;
  private final Map<String, TreeEntry.Kind> seen = new HashMap<>();
  private final Map<String, String> links = new LinkedHashMap<>();
  private long members;
  private long declared;
  private long bytesOut;

  /** Checks a tree that is no archive: without limits. */
  static CheckedTree of(FileTree tree) {
    return new CheckedTree(tree, ArchiveLimits.none(), false, () -> Long.MAX_VALUE - 1);
  }

  /**
   * Checks a tree.
   *
   * @param outsideLinks whether symbolic links may lead anywhere
   * @param bytesIn bytes of the archive that were read so far
   */
  CheckedTree(FileTree tree, ArchiveLimits limits, boolean outsideLinks, LongSupplier bytesIn) {
    this.tree = tree;
    this.limits = limits;
    this.outsideLinks = outsideLinks;
    this.bytesIn = bytesIn;
  }

  long members() {
    return members;
  }

  long bytesOut() {
    return bytesOut;
  }

  @Override
  public Optional<TreeEntry> next() throws IOException, InterruptedException {
    Optional<TreeEntry> next = tree.next();
    checkIn();
    if (next.isEmpty()) {
      if (!outsideLinks) {
        links.keySet().forEach(this::resolve);
      }
      return next;
    }
    TreeEntry entry = next.get();
    members++;
    if (members > limits.members()) {
      throw ArchiveErrors.limit("members", limits.members(), members);
    }
    checkOut(entry.size());
    place(entry);
    switch (entry.kind()) {
      case LINK -> checkLink(entry);
      case HARD_LINK -> checkHardLink(entry);
      default -> {}
    }
    return Optional.of(plain(entry));
  }

  /** Without set-id bits, which nobody gets from an archive. */
  private static TreeEntry plain(TreeEntry entry) {
    int mode = entry.mode() & PERMISSIONS;
    return mode == entry.mode()
        ? entry
        : new TreeEntry(
            entry.path(), entry.kind(), mode, entry.size(), entry.modified(), entry.target());
  }

  private void checkIn() {
    long in = bytesIn.getAsLong();
    if (in > limits.bytesIn()) {
      throw ArchiveErrors.limit("bytes in", limits.bytesIn(), in);
    }
  }

  /** What is declared counts before it is read. */
  private void checkOut(long size) {
    declared = declared + size < 0 ? Long.MAX_VALUE : declared + size;
    if (declared > limits.bytesOut()) {
      throw ArchiveErrors.limit("bytes out", limits.bytesOut(), declared);
    }
  }

  /** Each name once, and nothing below what is no directory. */
  private void place(TreeEntry entry) {
    String path = entry.path();
    boolean directory = entry.kind() == TreeEntry.Kind.DIRECTORY;
    TreeEntry.Kind before = seen.putIfAbsent(path, entry.kind());
    if (before != null && !(directory && before == TreeEntry.Kind.DIRECTORY)) {
      throw ArchiveErrors.member(path, "comes twice");
    }
    for (int at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      TreeEntry.Kind parent = seen.putIfAbsent(path.substring(0, at), TreeEntry.Kind.DIRECTORY);
      if (parent == TreeEntry.Kind.DIRECTORY) {
        return;
      }
      if (parent != null) {
        throw ArchiveErrors.member(path, "lies below a member that is no directory");
      }
    }
  }

  private void checkLink(TreeEntry entry) {
    String target = entry.target();
    if (target.isEmpty() || target.indexOf('\0') >= 0) {
      throw ArchiveErrors.member(entry.path(), "is a link to nothing");
    }
    if (!outsideLinks) {
      if (target.startsWith("/")) {
        throw ArchiveErrors.member(entry.path(), "is a link to an absolute path");
      }
      if (target.indexOf('\\') >= 0) {
        throw ArchiveErrors.member(entry.path(), "is a link to a Windows path");
      }
      links.put(entry.path(), target);
    }
  }

  private void checkHardLink(TreeEntry entry) {
    TreeEntry.Kind target = seen.get(entry.target());
    boolean earlier =
        (target == TreeEntry.Kind.FILE || target == TreeEntry.Kind.HARD_LINK)
            && !entry.target().equals(entry.path());
    if (!earlier) {
      throw ArchiveErrors.member(
          entry.path(), "is a hard link to what is no earlier file of the archive");
    }
  }

  /** Follows a link through the other links of the archive. */
  private void resolve(String link) {
    Deque<String> at = new ArrayDeque<>(List.of(link.split("/")));
    Deque<String> todo = new ArrayDeque<>();
    at.removeLast();
    push(todo, links.getOrDefault(link, ""));
    int followed = 0;
    while (!todo.isEmpty()) {
      String part = todo.pop();
      if (part.isEmpty() || part.equals(".")) {
        continue;
      }
      if (part.equals("..")) {
        if (at.isEmpty()) {
          throw ArchiveErrors.member(link, "is a link that leads out of the archive");
        }
        at.removeLast();
        continue;
      }
      at.addLast(part);
      String next = links.get(String.join("/", at));
      if (next != null) {
        if (++followed > MOST_LINKS) {
          throw ArchiveErrors.member(link, "is a link through too many links");
        }
        at.removeLast();
        push(todo, next);
      }
    }
  }

  private static void push(Deque<String> todo, String target) {
    String[] parts = target.split("/");
    for (int i = parts.length - 1; i >= 0; i--) {
      todo.push(parts[i]);
    }
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException, InterruptedException {
    int count = tree.read(target, offset, length);
    checkIn();
    if (count > 0) {
      bytesOut += count;
      if (bytesOut > limits.bytesOut()) {
        throw ArchiveErrors.limit("bytes out", limits.bytesOut(), bytesOut);
      }
      long in = Math.max(1, bytesIn.getAsLong());
      if (bytesOut > RATIO_FREE && bytesOut / in > limits.ratio()) {
        throw ArchiveErrors.limit("bytes out for each byte in", limits.ratio(), bytesOut / in);
      }
    }
    return count;
  }

  @Override
  public void close() throws IOException {
    tree.close();
  }
}
