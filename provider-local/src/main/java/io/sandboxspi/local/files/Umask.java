package io.sandboxspi.local.files;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import java.util.stream.Stream;

/**
 * The bits that the system takes from the permissions of new files.
 *
 * @param bits all when they are not known
 */
record Umask(int bits) {
  private static final String FIELD = "Umask:";
  private static final int ALL = 0777;

  static Umask read() {
    try (Stream<String> lines = Files.lines(Path.of("/proc/self/status"))) {
      Optional<String> line = lines.filter(each -> each.startsWith(FIELD)).findFirst();
      return new Umask(
          line.map(text -> Integer.parseInt(text.substring(FIELD.length()).trim(), 8)).orElse(ALL));
    } catch (IOException | NumberFormatException e) {
      return new Umask(ALL);
    }
  }

  /** Whether a new file would not get this mode. */
  boolean takes(int mode) {
    return (mode & bits) != 0;
  }
}
