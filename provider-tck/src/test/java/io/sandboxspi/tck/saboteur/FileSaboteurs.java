package io.sandboxspi.tck.saboteur;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.Manifest;
import io.sandboxspi.ManifestEntry;
import io.sandboxspi.Operation;
import io.sandboxspi.PathGrant;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Predicate;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/** Broken files, trees and archives. */
final class FileSaboteurs {
  private FileSaboteurs() {}

  private static Saboteur backend(
      String name, UnaryOperator<BackendFiles> wrap, String tests, String... breaks) {
    return Saboteur.provider(
        name,
        backend ->
            new BackendWrapper(backend) {
              @Override
              public BackendFiles files() {
                return wrap.apply(super.files());
              }
            },
        tests,
        breaks);
  }

  private static SandboxException failed(IOException cause) {
    return SandboxException.builder(ErrorCode.FILE_FAILED, Operation.FILE_WRITE, "failed")
        .cause(cause)
        .build();
  }

  private static SandboxSpec.Builder builder(SandboxSpec spec) {
    SandboxSpec.Builder copy =
        SandboxSpec.builder().timings(spec.timings()).createTimeout(spec.createTimeout());
    spec.environment().forEach(copy::env);
    spec.options().forEach(copy::option);
    spec.listeners().forEach(copy::listener);
    return copy;
  }

  private static SandboxSpec copy(SandboxSpec spec, Manifest manifest) {
    return builder(spec).manifest(manifest).build();
  }

  private static Manifest changed(Manifest manifest, Predicate<String> keep, boolean environment) {
    Manifest.Builder copy = Manifest.builder();
    manifest.base().ifPresent(copy::base);
    manifest.entries().forEach((path, entry) -> addIf(keep.test(path), copy, path, entry));
    if (environment) {
      manifest.environment().forEach(copy::secretEnv);
    }
    return copy.build();
  }

  private static Manifest followed(Manifest manifest) {
    Manifest.Builder copy = Manifest.builder();
    manifest.base().ifPresent(copy::base);
    manifest
        .entries()
        .forEach(
            (path, entry) -> {
              boolean link = entry.equals(ManifestEntry.localFile("link"));
              addIf(true, copy, path, link ? ManifestEntry.localFile("conf") : entry);
            });
    manifest.environment().forEach(copy::secretEnv);
    return copy.build();
  }

  private static void addIf(
      boolean wanted, Manifest.Builder manifest, String path, ManifestEntry entry) {
    if (wanted) {
      Object unused = manifest.entry(path, entry);
    }
  }

  static Stream<Saboteur> all() {
    return Stream.concat(backends(), sessions());
  }

  private static Stream<Saboteur> backends() {
    return Stream.of(
        backend(
            "links that are followed out",
            files ->
                new BackendFilesWrapper(files) {
                  @Override
                  public InputStream open(String path, Deadline deadline)
                      throws InterruptedException {
                    Path file = Path.of(workspace()).resolve(path);
                    if (!Files.isRegularFile(file)) {
                      return super.open(path, deadline);
                    }
                    try {
                      return Files.newInputStream(file);
                    } catch (IOException e) {
                      throw failed(e);
                    }
                  }
                },
            "S_FILE_0[24].*",
            "S-FILE-02"),
        backend(
            "a removal that goes through links",
            files ->
                new BackendFilesWrapper(files) {
                  @Override
                  public void remove(String path, boolean tree, Deadline deadline)
                      throws InterruptedException {
                    Path entry = Path.of(workspace()).resolve(path);
                    if (tree && Files.isDirectory(entry)) {
                      for (FileInfo info : list(path, deadline)) {
                        remove(info.path(), true, deadline);
                      }
                    }
                    super.remove(path, tree, deadline);
                  }
                },
            "S_FILE_0[24].*",
            "S-FILE-02"),
        backend(
            "a write in place",
            files ->
                new BackendFilesWrapper(files) {
                  @Override
                  public void write(String path, InputStream content, Deadline deadline)
                      throws InterruptedException {
                    Path file = Path.of(workspace()).resolve(path);
                    if (path.contains("/")
                        || !Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                      super.write(path, content, deadline);
                      return;
                    }
                    try (OutputStream out = Files.newOutputStream(file)) {
                      out.write(content.readNBytes(100_000));
                      LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(5));
                      content.transferTo(out);
                    } catch (IOException e) {
                      throw failed(e);
                    }
                  }
                },
            "S_FILE_03_a.*|S_FILE_04.*",
            "S-FILE-03"),
        backend(
            "a move that goes into directories",
            files ->
                new BackendFilesWrapper(files) {
                  @Override
                  public void move(String from, String to, Deadline deadline)
                      throws InterruptedException {
                    boolean into = Files.isDirectory(Path.of(workspace()).resolve(to));
                    super.move(from, into ? to + "/in" : to, deadline);
                  }
                },
            "S_FILE_0[56].*",
            "S-FILE-05"),
        backend(
            "modes that are not set",
            files ->
                new BackendFilesWrapper(files) {
                  @Override
                  public void setMode(String path, int mode, Deadline deadline)
                      throws InterruptedException {
                    super.setMode(path, 0644, deadline);
                  }
                },
            "S_FILE_0[56].*",
            "S-FILE-06"),
        backend(
            "a switch that clears first and then gives up",
            files ->
                new BackendFilesWrapper(files) {
                  @Override
                  public void writeTree(String path, FileTree tree, Deadline deadline)
                      throws InterruptedException {
                    for (FileInfo info : list("to", deadline)) {
                      remove(info.path(), true, deadline);
                    }
                    super.writeTree(path, tree, deadline);
                  }
                },
            "S_ARCH_0[14].*",
            "S-ARCH-04"),
        backend(
            "trees without links",
            files ->
                new BackendFilesWrapper(files) {
                  @Override
                  public FileTree readTree(String path, List<String> excludes, Deadline deadline)
                      throws InterruptedException {
                    List<String> more = new ArrayList<>(excludes);
                    more.add("link");
                    return super.readTree(path, more, deadline);
                  }
                },
            "S_ARCH_0[123].*",
            "S-ARCH-01"));
  }

  private static Stream<Saboteur> sessions() {
    return Stream.of(
        Saboteur.spec(
            "grants for reading that are written to",
            spec -> {
              SandboxSpec.Builder open = builder(spec);
              spec.grants().forEach(grant -> open.grant(PathGrant.readWrite(grant.path())));
              return open.build();
            },
            "S_FILE_0[67].*",
            "S-FILE-07"),
        Saboteur.spec(
            "a manifest that is applied in part",
            spec -> copy(spec, changed(spec.manifest(), path -> !path.equals("many/f3"), true)),
            "S_MAN_0[13].*",
            "S-MAN-01"),
        Saboteur.spec(
            "sources that are followed through links",
            spec -> copy(spec, followed(spec.manifest())),
            "S_MAN_0[13].*",
            "S-MAN-02"),
        Saboteur.spec(
            "variables of a manifest that are forgotten",
            spec -> copy(spec, changed(spec.manifest(), path -> true, false)),
            "S_MAN_0[13].*",
            "S-MAN-03"),
        Saboteur.files(
            "reads without bound",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public byte[] read(String path, int maxBytes) throws InterruptedException {
                    return super.read(path);
                  }
                },
            "S_FILE_(03_bytes|10).*",
            "S-FILE-10"),
        Saboteur.files(
            "uploads that lose permissions",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public void upload(Path source, String path) throws InterruptedException {
                    super.upload(source, path);
                    if (Files.isRegularFile(source)) {
                      super.setPermissions(path, "0600");
                    }
                  }
                },
            "S_FILE_0[68].*",
            "S-FILE-08"),
        Saboteur.files(
            "links that lead out and are passed over",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public void upload(Path source, String path) throws InterruptedException {
                    try {
                      super.upload(source, path);
                    } catch (SandboxException e) {
                      if (e.code() != ErrorCode.INVALID_ARCHIVE) {
                        throw e;
                      }
                    }
                  }
                },
            "S_FILE_0[68].*",
            "S-FILE-08"),
        Saboteur.files(
            "bounds that nobody looks at",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public ArchiveSummary hydrate(
                      String path, InputStream archive, ArchiveLimits limits)
                      throws InterruptedException {
                    return super.hydrate(path, archive, ArchiveLimits.none());
                  }
                },
            "S_ARCH_0[134].*",
            "S-ARCH-03"),
        Saboteur.files(
            "zip slip",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public ArchiveSummary hydrate(
                      String path, InputStream archive, ArchiveLimits limits)
                      throws InterruptedException {
                    try {
                      return super.hydrate(path, archive, limits);
                    } catch (SandboxException e) {
                      if (e.getMessage() == null || !e.getMessage().contains("leads out")) {
                        throw e;
                      }
                      super.write("in/up", new byte[1]);
                      return new ArchiveSummary("", 0, 0);
                    }
                  }
                },
            "S_ARCH_0[1234].*",
            "S-ARCH-02"),
        Saboteur.files(
            "a fingerprint of something else",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public ArchiveSummary persist(
                      String path, List<String> excludes, ArchiveFormat format, OutputStream target)
                      throws InterruptedException {
                    ArchiveSummary summary = super.persist(path, excludes, format, target);
                    return new ArchiveSummary(
                        summary.fingerprint().replace('a', 'b'),
                        summary.members(),
                        summary.bytes());
                  }
                },
            "S_ARCH_0[134].*",
            "S-ARCH-06"),
        Saboteur.files(
            "an extract that replaces",
            files ->
                new FilesWrapper(files) {
                  @Override
                  public ArchiveSummary extract(
                      String path, InputStream archive, ArchiveLimits limits)
                      throws InterruptedException {
                    return super.hydrate(path, archive, limits);
                  }
                },
            "S_ARCH_0[1347].*",
            "S-ARCH-07"));
  }
}
