package io.sandboxspi.core.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import io.sandboxspi.core.posix.World;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Large contents that go by a path, and those whose paths had better not be passed on. */
@Tag("S-FILE-09")
class DirectFilesTest {
  @TempDir Path temporary;
  private Path root;
  private final byte[] large = new byte[200_000];

  @BeforeEach
  void makeDirectories() throws IOException {
    root = Files.createDirectory(temporary.toRealPath().resolve("root"));
    new Random(7).nextBytes(large);
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(30));
  }

  /** By files of this machine; counts what comes by a path. */
  private static final class Direct implements ShellAccess {
    private final ProcessAccess way;
    private final List<String> paths = new ArrayList<>();
    private int most = Integer.MAX_VALUE;

    Direct(World world) {
      way = new ProcessAccess(world, 1_000, 1_000);
    }

    @Override
    public boolean direct() {
      return true;
    }

    @Override
    public void put(String path, InputStream content, Deadline deadline) {
      paths.add(path);
      try {
        // One that is there, as the owner made it.
        byte[] all = content.readAllBytes();
        Files.write(
            Path.of(path),
            Arrays.copyOf(all, Math.min(most, all.length)),
            StandardOpenOption.WRITE);
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public InputStream get(String path, Deadline deadline) {
      paths.add(path);
      try {
        return Files.newInputStream(Path.of(path));
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
    }

    @Override
    public byte[] ask(String text, Deadline deadline) throws InterruptedException {
      return way.ask(text, deadline);
    }

    @Override
    public InputStream read(String text, Deadline deadline) throws InterruptedException {
      return way.read(text, deadline);
    }

    @Override
    public byte[] write(String text, InputStream content, Deadline deadline)
        throws InterruptedException {
      return way.write(text, content, deadline);
    }

    @Override
    public int smallRead() {
      return way.smallRead();
    }

    @Override
    public int smallWrite() {
      return way.smallWrite();
    }
  }

  private byte[] there(ShellFiles files, String path) throws Exception {
    files.write(path, new ByteArrayInputStream(large), soon());
    try (InputStream in = files.open(path, soon())) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource
  void aLargeFileGoesByItsPathAndKeepsItsMode(World world) throws Exception {
    Direct direct = new Direct(world);
    ShellFiles files = ShellFiles.over(direct, root.toString());
    Path kept = Files.createDirectory(root.resolve("a")).resolve("kept");
    Files.writeString(kept, "old");
    Files.setPosixFilePermissions(kept, PosixFilePermissions.fromString("rwxr-x---"));
    assertThat(there(files, "a/kept")).isEqualTo(large);
    assertThat(direct.paths).hasSize(2);
    assertThat(direct.paths.get(0)).startsWith(root + "/a/.sandbox-");
    assertThat(direct.paths.get(1)).isEqualTo(kept.toString());
    assertThat(Files.getPosixFilePermissions(kept))
        .isEqualTo(PosixFilePermissions.fromString("rwxr-x---"));
    assertThat(root.resolve("a").toFile().list()).containsExactly("kept");
  }

  @ParameterizedTest
  @EnumSource
  void aPathThatCouldBeReadInAnotherWayIsNotPassedOn(World world) throws Exception {
    Direct direct = new Direct(world);
    ShellFiles files = ShellFiles.over(direct, root.toString());
    for (String name : List.of("a b", "x\ny", "%41", "café", "$(id)", "d\n/f")) {
      assertThat(there(files, name)).isEqualTo(large);
    }
    assertThat(direct.paths).allMatch(path -> path.matches(root + "/\\.sandbox-[0-9a-f-]+\\.part"));
  }

  @ParameterizedTest
  @EnumSource
  void whatDoesNotArriveWholeIsNoFile(World world) {
    Direct direct = new Direct(world);
    direct.most = 100_000;
    ShellFiles files = ShellFiles.over(direct, root.toString());
    Throwable failure =
        catchThrowable(() -> files.write("f", new ByteArrayInputStream(large), soon()));
    assertThat(failure).hasMessageContaining("100000 of");
    assertThat(root.toFile().list()).isEmpty();
  }
}
