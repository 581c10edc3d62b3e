package io.sandboxspi;

import java.time.Instant;

/**
 * A directory entry.
 *
 * @param path the path as asked for, or of the entry in the listed directory
 * @param kind what it is; a link is not followed
 * @param size in bytes; 0 for a directory
 * @param permissions the low 12 bits of the mode in octal, for instance {@code 0644}
 * @param modified time of the last change
 */
public record FileInfo(String path, Kind kind, long size, String permissions, Instant modified) {
  /** What an entry is. */
  public enum Kind {
    /** A regular file. */
    FILE,
    /** A directory. */
    DIRECTORY,
    /** A symbolic link. */
    LINK,
    /** A device, pipe or socket. */
    OTHER
  }
}
