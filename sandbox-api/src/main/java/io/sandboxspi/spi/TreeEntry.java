package io.sandboxspi.spi;

import java.time.Instant;

/**
 * An entry of a {@link FileTree}.
 *
 * @param path relative to the tree's top, normal: names with single slashes between, no {@code .},
 *     no {@code ..}; never the top itself
 * @param kind what it is
 * @param mode the low 12 bits of its mode
 * @param size bytes of a file's content; 0 for everything else
 * @param modified time of the last change
 * @param target where a link leads, as written; for a hard link the path of an earlier file of the
 *     tree; else empty
 */
public record TreeEntry(
    String path, Kind kind, int mode, long size, Instant modified, String target) {
  /** What an entry is; devices, pipes and sockets are in no tree. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link. */
    LINK,
    /** Another name of an earlier file. */
    HARD_LINK
  }

  /** A directory. */
  public static TreeEntry directory(String path, int mode, Instant modified) {
    return new TreeEntry(path, Kind.DIRECTORY, mode, 0, modified, "");
  }

  /** A file. */
  public static TreeEntry file(String path, int mode, long size, Instant modified) {
    return new TreeEntry(path, Kind.FILE, mode, size, modified, "");
  }

  /** A symbolic link. */
  public static TreeEntry link(String path, String target, Instant modified) {
    return new TreeEntry(path, Kind.LINK, 0777, 0, modified, target);
  }

  /** Another name of an earlier file. */
  public static TreeEntry hardLink(String path, String target, int mode, Instant modified) {
    return new TreeEntry(path, Kind.HARD_LINK, mode, 0, modified, target);
  }
}
