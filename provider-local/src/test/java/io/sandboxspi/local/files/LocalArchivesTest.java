package io.sandboxspi.local.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.management.ThreadMXBean;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.workspace.WorkspaceArchives;
import io.sandboxspi.core.workspace.WorkspaceArchives.OutsideLinks;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.RandomAccessFile;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.TreeMap;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class LocalArchivesTest {
  @TempDir Path temporary;

  private Path from;
  private Path to;

  @BeforeEach
  void makeDirectories() throws IOException {
    from = Files.createDirectory(temporary.toRealPath().resolve("from"));
    to = Files.createDirectory(temporary.toRealPath().resolve("to"));
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(60));
  }

  private byte[] persist(String... excludes) throws InterruptedException {
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    Object unused =
        WorkspaceArchives.persist(new LocalFiles(from), ".", List.of(excludes), archive, soon());
    return archive.toByteArray();
  }

  private ArchiveSummary hydrate(byte[] archive, OutsideLinks links) throws InterruptedException {
    return WorkspaceArchives.hydrate(
        new LocalFiles(to),
        ".",
        new ByteArrayInputStream(archive),
        ArchiveLimits.defaults(),
        links,
        soon());
  }

  private static TreeMap<String, String> tree(Path root) throws IOException {
    TreeMap<String, String> found = new TreeMap<>();
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.filter(each -> !each.equals(root)).toList()) {
        Facts facts = Facts.of(path);
        String what = facts.kind() + " " + Integer.toOctalString(facts.mode());
        if (Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)) {
          what += " " + Files.readString(path) + " " + facts.modified().getEpochSecond();
        } else if (Files.isSymbolicLink(path)) {
          what += " " + Files.readSymbolicLink(path);
        } else {
          what += " " + facts.modified().getEpochSecond();
        }
        found.put(root.relativize(path).toString(), what);
      }
    }
    return found;
  }

  private void fill() throws IOException {
    Files.createDirectories(from.resolve("d/deep/er"));
    Files.writeString(from.resolve("d/deep/er/f"), "deep");
    Files.writeString(from.resolve("-n 'x\n\"$(id)é"), "odd");
    Files.writeString(from.resolve("ü".repeat(127)), "long");
    Files.writeString(from.resolve("run"), "#!/bin/sh\n");
    Files.setPosixFilePermissions(
        from.resolve("run"), PosixFilePermissions.fromString("rwxrwxrwx"));
    Files.writeString(from.resolve("private"), "0400");
    Files.setPosixFilePermissions(
        from.resolve("private"), PosixFilePermissions.fromString("r--------"));
    Files.createSymbolicLink(from.resolve("link"), Path.of("d/deep"));
    Files.createSymbolicLink(from.resolve("python"), Path.of("/nowhere/python3"));
    Files.createLink(from.resolve("z-second"), from.resolve("run"));
    Files.createDirectory(from.resolve("closed"));
    Files.writeString(from.resolve("closed/in"), "in");
    Files.setPosixFilePermissions(
        from.resolve("closed"), PosixFilePermissions.fromString("r-xr-x---"));
    Files.setLastModifiedTime(
        from.resolve("d/deep/er/f"), FileTime.from(Instant.ofEpochSecond(1_000_000)));
    Files.setLastModifiedTime(from.resolve("d"), FileTime.from(Instant.ofEpochSecond(2_000_000)));
  }

  @Test
  @Tag("S-ARCH-01")
  void aDirectoryComesBackFromItsArchive() throws Exception {
    fill();
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    ArchiveSummary out =
        WorkspaceArchives.persist(new LocalFiles(from), ".", List.of(), archive, soon());
    Files.writeString(to.resolve("before"), "x");
    ArchiveSummary in = hydrate(archive.toByteArray(), OutsideLinks.KEEP);
    assertThat(in).isEqualTo(out);
    assertThat(tree(to)).isEqualTo(tree(from));
    assertThat(WorkspaceArchives.fingerprint(new LocalFiles(to), ".", List.of(), soon()))
        .isEqualTo(out);
    assertThat(Files.isSameFile(to.resolve("run"), to.resolve("z-second"))).isTrue();
  }

  @Test
  @Tag("S-ARCH-01")
  void whatIsExcludedOrUnderWayStaysOut() throws Exception {
    fill();
    Files.writeString(from.resolve(".sandbox-0b6f5c1e-0000-4000-8000-000000000000.part"), "half");
    byte[] archive = persist("d/deep", "run", "no/such", "closed");
    Object unused = hydrate(archive, OutsideLinks.KEEP);
    assertThat(tree(to).keySet())
        .containsExactlyInAnyOrder(
            "d", "-n 'x\n\"$(id)é", "ü".repeat(127), "private", "link", "python", "z-second");
  }

  @Test
  @Tag("S-ARCH-04")
  void aBadArchiveLeavesTheDirectoryAsItWas() throws Exception {
    fill();
    byte[] archive = persist();
    Files.writeString(to.resolve("before"), "x");
    TreeMap<String, String> before = tree(to);
    byte[] cut = java.util.Arrays.copyOf(archive, archive.length / 2);
    for (byte[] bad : List.of(cut, archive)) {
      // The whole one has a link that leads out.
      assertThatThrownBy(() -> hydrate(bad, OutsideLinks.REFUSE))
          .isInstanceOfSatisfying(
              SandboxException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARCHIVE));
      assertThat(tree(to)).isEqualTo(before);
    }
  }

  @Test
  @Tag("S-ARCH-04")
  void aSourceOrTargetThatFailsIsTold() throws Exception {
    fill();
    IOException broken = new IOException("broken");
    InputStream source =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw broken;
          }
        };
    assertThatThrownBy(
            () ->
                WorkspaceArchives.hydrate(
                    new LocalFiles(to),
                    ".",
                    source,
                    ArchiveLimits.defaults(),
                    OutsideLinks.REFUSE,
                    soon()))
        .isInstanceOf(SandboxException.class)
        .hasRootCause(broken);
    OutputStream target =
        new OutputStream() {
          @Override
          public void write(int value) throws IOException {
            throw broken;
          }
        };
    assertThatThrownBy(
            () -> WorkspaceArchives.persist(new LocalFiles(from), ".", List.of(), target, soon()))
        .isInstanceOf(SandboxException.class)
        .hasRootCause(broken);
    assertThat(tree(to)).isEmpty();
  }

  @Test
  @Tag("S-ARCH-05")
  void whatPassesIsNotKept() throws Exception {
    Path sparse = from.resolve("sparse");
    try (RandomAccessFile file = new RandomAccessFile(sparse.toFile(), "rw")) {
      file.setLength(200 << 20);
    }
    Path archive = temporary.resolve("archive.tar");
    ThreadMXBean threads = (ThreadMXBean) ManagementFactory.getThreadMXBean();
    long before = threads.getCurrentThreadAllocatedBytes();
    ArchiveSummary out;
    try (OutputStream target = Files.newOutputStream(archive)) {
      out = WorkspaceArchives.persist(new LocalFiles(from), ".", List.of(), target, soon());
    }
    ArchiveSummary in;
    try (InputStream source = Files.newInputStream(archive)) {
      in =
          WorkspaceArchives.hydrate(
              new LocalFiles(to),
              ".",
              source,
              ArchiveLimits.defaults(),
              OutsideLinks.REFUSE,
              soon());
    }
    assertThat(threads.getCurrentThreadAllocatedBytes() - before).isLessThan(20 << 20);
    assertThat(in).isEqualTo(out);
    assertThat(in.bytes()).isEqualTo(200 << 20);
  }
}
