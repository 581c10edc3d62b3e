package io.sandboxspi.local.files;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.DirectoryIteratorException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;

/**
 * Removes trees without following links. Entries that vanish meanwhile are fine; directories that
 * their owner closed are opened.
 */
public final class TreeRemoval {
  private TreeRemoval() {}

  /** Says when to give up. */
  public interface Check {
    /** Throws when it is time. */
    void run() throws IOException, InterruptedException;
  }

  /** Removes a path with all in it; nothing there is fine. */
  public static void remove(Path path, Check check) throws IOException, InterruptedException {
    check.run();
    if (!Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)) {
      Files.deleteIfExists(path);
      return;
    }
    Path parent = path.toAbsolutePath().getParent();
    Path name = path.getFileName();
    if (parent == null || name == null) {
      throw new IOException("the root directory is not removed");
    }
    try (DirectoryHandle directory = DirectoryHandle.root(parent)) {
      removeDirectory(directory, name.toString(), check);
    } catch (NoSuchFileException gone) {
      Files.deleteIfExists(path);
    }
  }

  /** Removes an entry with all in it. */
  static void remove(DirectoryHandle directory, String name, Check check)
      throws IOException, InterruptedException {
    check.run();
    Path entry = directory.entry(name);
    if (Files.isDirectory(entry, LinkOption.NOFOLLOW_LINKS)) {
      removeDirectory(directory, name, check);
    } else {
      Files.deleteIfExists(entry);
    }
  }

  private static void removeDirectory(DirectoryHandle parent, String name, Check check)
      throws IOException, InterruptedException {
    try {
      empty(parent, name, check);
    } catch (AccessDeniedException closed) {
      Files.setPosixFilePermissions(
          parent.entry(name),
          EnumSet.of(
              PosixFilePermission.OWNER_READ,
              PosixFilePermission.OWNER_WRITE,
              PosixFilePermission.OWNER_EXECUTE));
      empty(parent, name, check);
    } catch (NotDirectoryException swapped) {
      // A link came in its place: the link goes, its target stays.
      Files.deleteIfExists(parent.entry(name));
      return;
    }
    Files.deleteIfExists(parent.entry(name));
  }

  private static void empty(DirectoryHandle parent, String name, Check check)
      throws IOException, InterruptedException {
    try (DirectoryHandle directory = parent.child(name)) {
      for (String entry : names(directory)) {
        remove(directory, entry, check);
      }
    }
  }

  static List<String> names(DirectoryHandle directory) throws IOException {
    List<String> names = new ArrayList<>();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(directory.entry("."))) {
      for (Path entry : entries) {
        names.add(String.valueOf(entry.getFileName()));
      }
    } catch (DirectoryIteratorException e) {
      throw e.getCause();
    }
    return names;
  }
}
