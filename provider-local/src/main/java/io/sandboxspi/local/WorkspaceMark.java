package io.sandboxspi.local;

import io.sandboxspi.core.reap.Owner;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * What the marker in a directory of ours says.
 *
 * @param session whom it was made for
 * @param owner the process that made it or attached to it last
 * @param created when it was made, or attached to last
 */
record WorkspaceMark(String session, String owner, Instant created) {
  private static final int MOST_BYTES = 1024;

  static void write(Path marker, String session, String owner) throws IOException {
    Files.writeString(marker, session + "\n" + owner + "\n", StandardOpenOption.CREATE_NEW);
  }

  /** Makes this process the owner, unless the workspace is durable. */
  static void take(Path marker) throws IOException {
    Optional<WorkspaceMark> before = read(marker);
    if (before.map(WorkspaceMark::owner).orElse("").equals(Owner.DURABLE)) {
      return;
    }
    Path fresh = marker.resolveSibling(marker.getFileName() + ".new");
    Files.deleteIfExists(fresh);
    write(fresh, before.map(WorkspaceMark::session).orElse("attached"), Owner.current());
    Files.move(fresh, marker, StandardCopyOption.ATOMIC_MOVE, StandardCopyOption.REPLACE_EXISTING);
  }

  /** Empty if it was removed meanwhile, or is not readable for this user. */
  static Optional<WorkspaceMark> read(Path marker) {
    try {
      BasicFileAttributes attributes =
          Files.readAttributes(marker, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
      if (!attributes.isRegularFile() || attributes.size() > MOST_BYTES) {
        return Optional.empty();
      }
      List<String> lines = Files.readAllLines(marker, StandardCharsets.UTF_8);
      return Optional.of(
          new WorkspaceMark(
              lines.isEmpty() ? "" : lines.get(0),
              lines.size() < 2 ? "" : lines.get(1),
              attributes.lastModifiedTime().toInstant()));
    } catch (IOException gone) {
      return Optional.empty();
    }
  }
}
