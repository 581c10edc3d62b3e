package io.sandboxspi.local.files;

import io.sandboxspi.FileInfo;
import io.sandboxspi.local.driver.posix.FileStatus;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.time.Instant;
import java.util.Map;

/**
 * What the system knows of an entry.
 *
 * @param mode the low 12 bits
 * @param size in bytes; 0 for a directory
 * @param identity the same for all names of one file
 * @param names how many names it has
 */
record Facts(
    FileInfo.Kind kind, int mode, long size, Instant modified, String identity, int names) {
  private static final int MODE_BITS = 07777;
  private static final int TYPE_BITS = 0170000;
  private static final int REGULAR = 0100000;
  private static final int DIRECTORY = 0040000;
  private static final int LINK = 0120000;

  /** Of an entry, a link itself. */
  static Facts of(Path entry) throws IOException {
    return of(entry, LinkOption.NOFOLLOW_LINKS);
  }

  /** Of what a descriptor's path leads to. */
  static Facts ofPinned(Path descriptor) throws IOException {
    return of(descriptor, new LinkOption[0]);
  }

  /** What the system said in one call. */
  static Facts of(FileStatus status) {
    FileInfo.Kind kind = kind(status.mode());
    String identity = status.names() > 1 ? status.device() + ":" + status.inode() : "";
    return new Facts(
        kind,
        status.mode() & MODE_BITS,
        kind == FileInfo.Kind.DIRECTORY ? 0 : status.size(),
        status.modified(),
        identity,
        status.names());
  }

  private static FileInfo.Kind kind(int mode) {
    return switch (mode & TYPE_BITS) {
      case REGULAR -> FileInfo.Kind.FILE;
      case DIRECTORY -> FileInfo.Kind.DIRECTORY;
      case LINK -> FileInfo.Kind.LINK;
      default -> FileInfo.Kind.OTHER;
    };
  }

  private static Facts of(Path entry, LinkOption... options) throws IOException {
    Map<String, Object> facts =
        Files.readAttributes(entry, "unix:mode,size,lastModifiedTime,ino,dev,nlink", options);
    int mode = facts.get("mode") instanceof Integer value ? value : 0;
    FileInfo.Kind kind = kind(mode);
    long size =
        kind != FileInfo.Kind.DIRECTORY && facts.get("size") instanceof Long value ? value : 0;
    FileTime modified =
        facts.get("lastModifiedTime") instanceof FileTime value ? value : FileTime.fromMillis(0);
    int names = facts.get("nlink") instanceof Integer value ? value : 1;
    String identity = names > 1 ? facts.get("dev") + ":" + facts.get("ino") : "";
    return new Facts(kind, mode & MODE_BITS, size, modified.toInstant(), identity, names);
  }

  FileInfo shownAs(String path) {
    return new FileInfo(path, kind, size, String.format("%04o", mode), modified);
  }
}
