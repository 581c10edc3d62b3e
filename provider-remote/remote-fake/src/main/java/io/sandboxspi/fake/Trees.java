package io.sandboxspi.fake;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** Copies and deletes directories. */
public final class Trees {
  private Trees() {}

  /** Copies the content of a directory with everything that belongs to it. */
  public static void copy(Path from, Path to) throws IOException {
    Files.createDirectories(to);
    Process copy =
        new ProcessBuilder("cp", "-a", from + "/.", to.toString())
            .redirectErrorStream(true)
            .redirectOutput(ProcessBuilder.Redirect.DISCARD)
            .start();
    try {
      if (copy.waitFor() != 0) {
        throw new IOException("a directory cannot be copied");
      }
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }

  /** Deletes a directory with everything in it. */
  public static void delete(Path tree) {
    try (Stream<Path> files = Files.walk(tree)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    } catch (IOException | UncheckedIOException left) {
      // The system's temporary directory is emptied by others.
      assert left.getMessage() != null;
    }
  }
}
