package io.sandboxspi.local.files;

import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.OpenOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Fills an empty directory with a tree. Directories are held open while entries are made in them,
 * and nothing is made through a link.
 */
final class LocalTreeWriter implements AutoCloseable {
  private static final int CHUNK = 128 * 1024;
  private static final int PERMISSIONS = 0777;
  private static final FileAttribute<Set<PosixFilePermission>> OWN_DIRECTORY =
      PosixFilePermissions.asFileAttribute(permissions(0700));
  private static final Set<OpenOption> NEW_FILE =
      Set.of(StandardOpenOption.CREATE_NEW, StandardOpenOption.WRITE, LinkOption.NOFOLLOW_LINKS);
  private static final Umask UMASK = Umask.read();

  private final DirectoryHandle top;
  private final TreeRemoval.Check check;
  private final Deque<Level> levels = new ArrayDeque<>();
  private final List<TreeEntry> directories = new ArrayList<>();
  private final byte[] chunk = new byte[CHUNK];

  /** An open directory on the way to the current entry. */
  private record Level(String path, DirectoryHandle directory) {}

  /** Takes over the handle of an empty directory. */
  LocalTreeWriter(DirectoryHandle top, TreeRemoval.Check check) {
    this.top = top;
    this.check = check;
  }

  void write(FileTree tree) throws IOException, InterruptedException {
    for (Optional<TreeEntry> next = tree.next(); next.isPresent(); next = tree.next()) {
      check.run();
      make(next.get(), tree);
    }
    // Deepest first, as a directory that is closed to its owner hides what is below.
    directories.sort((a, b) -> b.path().compareTo(a.path()));
    for (TreeEntry directory : directories) {
      check.run();
      finish(directory);
    }
  }

  private void make(TreeEntry entry, FileTree tree) throws IOException, InterruptedException {
    int slash = entry.path().lastIndexOf('/');
    DirectoryHandle parent = parent(slash < 0 ? "" : entry.path().substring(0, slash));
    String name = entry.path().substring(slash + 1);
    Path path = parent.entry(name);
    switch (entry.kind()) {
      case DIRECTORY -> {
        makeDirectory(path, OWN_DIRECTORY);
        directories.add(entry);
      }
      case LINK -> {
        Files.createSymbolicLink(path, Path.of(entry.target()));
        parent.setModified(name, entry.modified());
      }
      case HARD_LINK -> hardLink(entry, path);
      case FILE -> file(entry, tree, parent, name);
    }
  }

  private void file(TreeEntry entry, FileTree tree, DirectoryHandle parent, String name)
      throws IOException, InterruptedException {
    int mode = entry.mode() & PERMISSIONS;
    try (ByteChannel channel =
        Files.newByteChannel(
            parent.entry(name),
            NEW_FILE,
            PosixFilePermissions.asFileAttribute(permissions(mode)))) {
      for (int n = read(entry, tree); n >= 0; n = read(entry, tree)) {
        check.run();
        ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, n);
        while (bytes.hasRemaining()) {
          channel.write(bytes);
        }
      }
    }
    if (UMASK.takes(mode)) {
      try (DirectoryHandle.Pinned pinned = parent.pin(name)) {
        Files.setPosixFilePermissions(pinned.path(), permissions(mode));
      }
    }
    parent.setModified(name, entry.modified());
  }

  private int read(TreeEntry entry, FileTree tree) throws IOException, InterruptedException {
    return entry.size() == 0 ? -1 : tree.read(chunk, 0, chunk.length);
  }

  private void hardLink(TreeEntry entry, Path path) throws IOException {
    String target = entry.target();
    int slash = target.lastIndexOf('/');
    List<DirectoryHandle> opened = new ArrayList<>();
    try {
      DirectoryHandle at = top;
      for (String part : slash < 0 ? new String[0] : target.substring(0, slash).split("/")) {
        at = at.child(part);
        opened.add(at);
      }
      Files.createLink(path, at.entry(target.substring(slash + 1)));
    } finally {
      opened.forEach(DirectoryHandle::close);
    }
  }

  /** Opens a directory below the top, and makes what is missing of it. */
  private DirectoryHandle parent(String path) throws IOException {
    while (!levels.isEmpty() && !isIn(path, levels.element().path())) {
      levels.pop().directory().close();
    }
    String known = levels.isEmpty() ? "" : levels.element().path();
    while (!known.equals(path)) {
      int from = known.isEmpty() ? 0 : known.length() + 1;
      int slash = path.indexOf('/', from);
      String next = slash < 0 ? path : path.substring(0, slash);
      String name = next.substring(from);
      DirectoryHandle at = current();
      makeDirectory(at.entry(name), new FileAttribute<?>[0]);
      levels.push(new Level(next, at.child(name)));
      known = next;
    }
    return current();
  }

  private static boolean isIn(String path, String directory) {
    return path.equals(directory) || path.startsWith(directory + "/");
  }

  private DirectoryHandle current() {
    return levels.isEmpty() ? top : levels.element().directory();
  }

  private static void makeDirectory(Path path, FileAttribute<?>... attributes) throws IOException {
    try {
      Files.createDirectory(path, attributes);
    } catch (FileAlreadyExistsException e) {
      if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
        throw e;
      }
    }
  }

  private void finish(TreeEntry entry) throws IOException {
    int slash = entry.path().lastIndexOf('/');
    DirectoryHandle parent = parent(slash < 0 ? "" : entry.path().substring(0, slash));
    String name = entry.path().substring(slash + 1);
    parent.setModified(name, entry.modified());
    try (DirectoryHandle.Pinned pinned = parent.pin(name)) {
      Files.setPosixFilePermissions(pinned.path(), permissions(entry.mode() & PERMISSIONS));
    }
  }

  static Set<PosixFilePermission> permissions(int mode) {
    PosixFilePermission[] all = PosixFilePermission.values();
    Set<PosixFilePermission> set = EnumSet.noneOf(PosixFilePermission.class);
    for (int i = 0; i < all.length; i++) {
      // They are declared from the owner's read, the highest bit, to the others' execute.
      if ((mode & (1 << (all.length - 1 - i))) != 0) {
        set.add(all[i]);
      }
    }
    return set;
  }

  @Override
  public void close() {
    levels.forEach(level -> level.directory().close());
    levels.clear();
    top.close();
  }
}
