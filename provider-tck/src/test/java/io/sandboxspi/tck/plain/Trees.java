package io.sandboxspi.tck.plain;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

final class Trees {
  private Trees() {}

  static void delete(Path tree) {
    for (int attempt = 0; attempt < 5 && Files.exists(tree); attempt++) {
      try (Stream<Path> all = Files.walk(tree)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.deleteIfExists(path);
        }
      } catch (IOException | java.io.UncheckedIOException raced) {
        // Somebody else removes it, too, or a process that is being ended still wrote.
      }
    }
  }
}
