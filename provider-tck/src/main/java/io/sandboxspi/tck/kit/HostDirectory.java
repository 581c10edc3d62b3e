package io.sandboxspi.tck.kit;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import java.util.stream.Stream;

/** A directory of the machine that the kit runs on, removed when it is closed. */
public final class HostDirectory implements AutoCloseable {
  private final Path directory;

  private HostDirectory(Path directory) {
    this.directory = directory;
  }

  /** Makes one. */
  public static HostDirectory make() throws IOException {
    return new HostDirectory(Files.createTempDirectory("sandbox-tck-host"));
  }

  /** A path in it. */
  public Path path(String relative) {
    return directory.resolve(relative);
  }

  @Override
  public void close() throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(path);
      }
    }
  }
}
