package io.sandboxspi.core.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.World;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large contents go past the shell where they can, and through it where they cannot. */
@Tag("S-FILE-11")
class FileCarrierTest {
  private static final String ODD = "a b\n$(x)/newline at the end\n";

  @TempDir Path temporary;
  private Path root;
  private static final int LARGE = 200_000;

  private final byte[] large = new byte[LARGE];
  private final Disk disk = new Disk();

  /** Carries by the disk that the shell works on. */
  private static final class Disk implements FileCarrier {
    private final List<SeenFile> opened = new ArrayList<>();
    private final List<SeenFile> filled = new ArrayList<>();
    private boolean blind;
    private boolean takesAll;
    private int most = Integer.MAX_VALUE;

    @Override
    public boolean takes(long size) {
      return takesAll || size >= LARGE;
    }

    @Override
    public Optional<InputStream> open(SeenFile file, Deadline deadline) {
      opened.add(file);
      try {
        Path path = Path.of(file.path());
        assertThat(Files.size(path)).isEqualTo(file.size());
        assertThat(Files.getLastModifiedTime(path)).isEqualTo(FileTime.from(file.modified()));
        return blind ? Optional.empty() : Optional.of(Files.newInputStream(path));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public boolean fill(SeenFile file, InputStream content, long size, Deadline deadline) {
      filled.add(file);
      if (blind) {
        return false;
      }
      try (var out = Files.newOutputStream(Path.of(file.path()))) {
        byte[] all = content.readNBytes(size < 0 ? Integer.MAX_VALUE : (int) size);
        out.write(all, 0, Math.min(most, all.length));
        return true;
      } catch (IOException e) {
        throw LaunchAccess.failed("the new content cannot be read", e);
      }
    }
  }

  @BeforeEach
  void makeDirectory() throws IOException {
    root = Files.createDirectory(temporary.toRealPath().resolve("root"));
    new Random(3).nextBytes(large);
  }

  private ShellFiles files(World world) {
    return ShellFiles.over(new ProcessAccess(world, 50_000, 1_000).with(disk), root.toString());
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(30));
  }

  private void write(ShellFiles files, String path, byte[] content) throws InterruptedException {
    files.write(path, new ByteArrayInputStream(content), content.length, soon());
  }

  private static byte[] read(ShellFiles files, String path) throws Exception {
    try (InputStream in = files.open(path, soon())) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource
  void theShellSaysWhereAndTheCarrierMoves(World world) throws Exception {
    ShellFiles files = files(world);
    write(files, "old", new byte[] {'o'});
    Files.setPosixFilePermissions(
        root.resolve("old"), PosixFilePermissions.fromString("rwxr-x---"));
    Files.createDirectory(root.resolve("d"));
    Files.createSymbolicLink(root.resolve("d/link"), Path.of("../old"));
    write(files, "d/link", large);
    assertThat(Files.readAllBytes(root.resolve("old"))).isEqualTo(large);
    assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(root.resolve("old"))))
        .isEqualTo("rwxr-x---");
    assertThat(read(files, "d/link")).isEqualTo(large);
    assertThat(disk.opened).extracting(SeenFile::path).containsExactly(root + "/old");
    assertThat(disk.filled).hasSize(1);
    assertThat(disk.filled.get(0).path()).startsWith(root + "/.sandbox-");

    write(files, ODD, large);
    assertThat(read(files, ODD)).isEqualTo(large);
    assertThat(disk.opened.get(1).path()).isEqualTo(root + "/" + ODD);
    assertThat(root.resolve(ODD).getParent().toFile().list()).hasSize(1);
    assertThat(root.toFile().list()).hasSize(3);
  }

  @ParameterizedTest
  @EnumSource
  void whatItDoesNotSeeGoesThroughTheShell(World world) throws Exception {
    disk.blind = true;
    ShellFiles files = files(world);
    write(files, "f", large);
    assertThat(read(files, "f")).isEqualTo(large);
    assertThat(disk.filled).hasSize(1);
    assertThat(disk.opened).hasSize(1);
    assertThat(root.toFile().list()).containsExactly("f");
  }

  @ParameterizedTest
  @EnumSource
  void contentOfNoKnownSizeAndSmallContentGoThroughTheShell(World world) throws Exception {
    ShellFiles files = files(world);
    files.write("f", new ByteArrayInputStream(large), soon());
    write(files, "g", new byte[60_000]);
    assertThat(read(files, "g")).hasSize(60_000);
    assertThat(disk.filled).isEmpty();
    assertThat(disk.opened).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void contentOfNoKnownSizeGoesByACarrierThatTakesIt(World world) throws Exception {
    disk.takesAll = true;
    ShellFiles files = files(world);
    files.write("f", new ByteArrayInputStream(large), soon());
    assertThat(disk.filled).hasSize(1);
    assertThat(read(files, "f")).isEqualTo(large);
    assertThat(disk.opened).hasSize(1);
    assertThat(root.toFile().list()).containsExactly("f");
  }

  @ParameterizedTest
  @EnumSource
  void whatDoesNotArriveWholeIsNoFile(World world) {
    disk.takesAll = true;
    disk.most = 100_000;
    ShellFiles files = files(world);
    assertThatThrownBy(() -> files.write("f", new ByteArrayInputStream(large), soon()))
        .hasMessageContaining("100000 of");
    assertThat(root.toFile().list()).isEmpty();
  }

  /** Less than was said: the old file stays, and nothing beside it. */
  @ParameterizedTest
  @EnumSource
  void aContentThatEndsEarlyLeavesTheOldFile(World world) throws Exception {
    ShellFiles files = files(world);
    write(files, "f", new byte[] {'o'});
    assertThatThrownBy(
            () -> files.write("f", new ByteArrayInputStream(large), large.length + 1, soon()))
        .isInstanceOf(SandboxException.class);
    assertThat(Files.readString(root.resolve("f"))).isEqualTo("o");
    assertThat(root.toFile().list()).containsExactly("f");
  }
}
