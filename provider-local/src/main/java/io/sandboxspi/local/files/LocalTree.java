package io.sandboxspi.local.files;

import io.sandboxspi.FileInfo;
import io.sandboxspi.local.driver.posix.OpenFile;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.Closeable;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.ByteChannel;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotLinkException;
import java.nio.file.StandardOpenOption;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.HashMap;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A directory read by name in order, each directory held open while it is in use, so that a link
 * that comes in the place of one is met as a link.
 */
final class LocalTree implements FileTree {
  private final Set<String> excludes;
  private final TreeRemoval.Check check;
  private final Deque<Level> levels = new ArrayDeque<>();
  private final Map<String, String> firstNames = new HashMap<>();
  private @Nullable Content content;
  private String path = "";
  private long left;

  /** An open file. */
  private record Content(Closeable held, Reader reader) {}

  /** Reads on. */
  private interface Reader {
    int read(byte[] target, int offset, int length) throws IOException;
  }

  /** A directory on the way. */
  private record Level(DirectoryHandle directory, String prefix, Iterator<String> names) {}

  /** Takes over the handle. */
  LocalTree(DirectoryHandle top, List<String> excludes, TreeRemoval.Check check)
      throws IOException {
    this.excludes = Set.copyOf(excludes);
    this.check = check;
    enter(top, "");
  }

  private void enter(DirectoryHandle directory, String prefix) throws IOException {
    boolean done = false;
    try {
      List<String> names = TreeRemoval.names(directory);
      names.sort(null);
      levels.push(new Level(directory, prefix, names.iterator()));
      done = true;
    } finally {
      if (!done) {
        directory.close();
      }
    }
  }

  @Override
  public Optional<TreeEntry> next() throws IOException, InterruptedException {
    closeContent();
    while (!levels.isEmpty()) {
      Level level = levels.element();
      if (!level.names.hasNext()) {
        levels.pop().directory.close();
        continue;
      }
      check.run();
      String name = level.names.next();
      path = level.prefix + name;
      if (!excludes.contains(path)) {
        Optional<TreeEntry> entry = entry(level, name);
        if (entry.isPresent()) {
          return entry;
        }
      }
    }
    return Optional.empty();
  }

  /** Empty for what is in no tree, and what has gone meanwhile. */
  private Optional<TreeEntry> entry(Level level, String name) throws IOException {
    if (name.indexOf('\uFFFD') >= 0) {
      throw new IOException("\"" + path + "\" has a name that is not UTF-8");
    }
    try {
      Facts facts = level.directory.facts(name);
      return switch (facts.kind()) {
        case DIRECTORY -> {
          enter(level.directory.child(name), path + "/");
          yield Optional.of(TreeEntry.directory(path, facts.mode(), facts.modified()));
        }
        case LINK -> {
          String target = Files.readSymbolicLink(level.directory.entry(name)).toString();
          yield Optional.of(TreeEntry.link(path, target, facts.modified()));
        }
        case FILE -> file(level, name);
        case OTHER -> Optional.empty();
      };
    } catch (NoSuchFileException | NotLinkException changed) {
      return Optional.empty();
    }
  }

  private Optional<TreeEntry> file(Level level, String name) throws IOException {
    Optional<OpenFile> quick = level.directory.file(name);
    if (quick.isPresent()) {
      OpenFile file = quick.get();
      Facts facts = Facts.of(file.status());
      Optional<TreeEntry> entry = entry(facts);
      if (entry.isPresent() && left > 0) {
        content = new Content(file, file::read);
      } else {
        file.close();
      }
      return entry;
    }
    try (DirectoryHandle.Pinned pinned = level.directory.pin(name)) {
      Optional<TreeEntry> entry = entry(Facts.ofPinned(pinned.path()));
      if (entry.isPresent() && left > 0) {
        ByteChannel channel = Files.newByteChannel(pinned.path(), StandardOpenOption.READ);
        content =
            new Content(
                channel,
                (target, offset, length) -> channel.read(ByteBuffer.wrap(target, offset, length)));
      }
      return entry;
    }
  }

  /** Of what is open; sets how much is to be read. */
  private Optional<TreeEntry> entry(Facts facts) {
    if (facts.kind() != FileInfo.Kind.FILE) {
      return Optional.empty();
    }
    if (facts.names() > 1) {
      String first = firstNames.putIfAbsent(facts.identity(), path);
      if (first != null) {
        return Optional.of(TreeEntry.hardLink(path, first, facts.mode(), facts.modified()));
      }
    }
    left = facts.size();
    return Optional.of(TreeEntry.file(path, facts.mode(), facts.size(), facts.modified()));
  }

  @Override
  public int read(byte[] target, int offset, int length) throws IOException, InterruptedException {
    Content file = content;
    if (file == null || left == 0) {
      return -1;
    }
    check.run();
    int count = file.reader().read(target, offset, (int) Math.min(length, left));
    if (count < 0) {
      throw new IOException("\"" + path + "\" became shorter while it was read");
    }
    left -= count;
    return count;
  }

  private void closeContent() throws IOException {
    Content file = content;
    content = null;
    left = 0;
    if (file != null) {
      file.held().close();
    }
  }

  @Override
  public void close() throws IOException {
    levels.forEach(level -> level.directory.close());
    levels.clear();
    closeContent();
  }
}
