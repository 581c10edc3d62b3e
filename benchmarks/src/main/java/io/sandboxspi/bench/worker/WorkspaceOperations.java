package io.sandboxspi.bench.worker;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.core.workspace.HostFiles;
import io.sandboxspi.core.workspace.WorkspaceArchives;
import io.sandboxspi.core.workspace.WorkspaceArchives.OutsideLinks;
import io.sandboxspi.local.files.LocalFiles;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;

/** Files and archives of a local workspace; each answers the nanoseconds it took. */
final class WorkspaceOperations {
  private WorkspaceOperations() {}

  private static Deadline soon() {
    return Deadline.after(Duration.ofMinutes(5));
  }

  static long[] persist(Path directory, Path archive) throws Exception {
    long begin = System.nanoTime();
    try (OutputStream out = Files.newOutputStream(archive)) {
      Object unused =
          WorkspaceArchives.persist(new LocalFiles(directory), ".", List.of(), out, soon());
    }
    return new long[] {System.nanoTime() - begin};
  }

  static long[] hydrate(Path archive, Path directory) throws Exception {
    long begin = System.nanoTime();
    try (InputStream in = Files.newInputStream(archive)) {
      Object unused =
          WorkspaceArchives.hydrate(
              new LocalFiles(directory),
              ".",
              in,
              ArchiveLimits.none(),
              OutsideLinks.REFUSE,
              soon());
    }
    return new long[] {System.nanoTime() - begin};
  }

  static long[] put(Path file, Path directory) throws Exception {
    long begin = System.nanoTime();
    HostFiles.upload(new LocalFiles(directory), file, "put", soon());
    return new long[] {System.nanoTime() - begin};
  }

  static long[] get(Path directory, Path file) throws Exception {
    long begin = System.nanoTime();
    HostFiles.download(new LocalFiles(directory), "put", file, soon());
    return new long[] {System.nanoTime() - begin};
  }

  /** Nanoseconds for one look at a path of four parts, of which one is a link. */
  static long[] path(Path directory) throws Exception {
    LocalFiles files = new LocalFiles(directory);
    int rounds = 2_000;
    long begin = System.nanoTime();
    for (int i = 0; i < rounds; i++) {
      Object unused = files.stat("link/b/c/file", soon());
    }
    return new long[] {(System.nanoTime() - begin) / rounds};
  }
}
