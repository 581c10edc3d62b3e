package io.sandboxspi.local.files;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.FileInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NotDirectoryException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Callable;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LocalFilesTest {
  @TempDir Path temporary;

  private Path root;
  private Path outside;
  private LocalFiles files;

  @BeforeEach
  void makeFiles() throws Exception {
    root = Files.createDirectory(temporary.toRealPath().resolve("root"));
    outside = Files.createDirectory(temporary.toRealPath().resolve("outside"));
    Files.writeString(outside.resolve("secret"), "secret");
    files = new LocalFiles(root);
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(10));
  }

  private void write(String path, String content) throws InterruptedException {
    write(path, content.getBytes(StandardCharsets.UTF_8));
  }

  private void write(String path, byte[] content) throws InterruptedException {
    files.write(path, new ByteArrayInputStream(content), soon());
  }

  private String read(String path) throws InterruptedException, IOException {
    try (InputStream in = files.open(path, soon())) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    }
  }

  private static void assertCode(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SandboxException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  @Test
  @Tag("S-FILE-03")
  void bytesComeBackUnchangedAndParentsAreMade() throws Exception {
    byte[] content = new byte[300_000];
    new Random(3).nextBytes(content);
    write("a/b/c.bin", content);
    try (InputStream in = files.open("a/b/c.bin", soon())) {
      assertThat(in.readAllBytes()).isEqualTo(content);
    }
    write("a/b/c.bin", "short");
    assertThat(read("a/b/c.bin")).isEqualTo("short");
    assertThat(files.list("a/b", soon())).hasSize(1);
  }

  @Test
  @Tag("S-FILE-03")
  void writesThatNeedTheSameParentMakeItOnce() throws Exception {
    ExecutorService writers = Executors.newFixedThreadPool(4);
    try {
      for (int round = 0; round < 200; round++) {
        String parent = "r" + round + "/deep";
        CyclicBarrier together = new CyclicBarrier(4);
        List<Callable<Void>> writes = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
          String path = parent + "/f" + i;
          writes.add(
              () -> {
                together.await(10, TimeUnit.SECONDS);
                files.makeDirectories(parent + "/made", soon());
                write(path, path);
                return null;
              });
        }
        for (Future<Void> write : writers.invokeAll(writes)) {
          write.get(10, TimeUnit.SECONDS);
        }
        assertThat(files.list(parent, soon())).hasSize(5);
      }
    } finally {
      writers.shutdownNow();
    }
  }

  @Test
  @Tag("S-FILE-03")
  void aPipeAndAFileWithoutSizeAreWrittenWhole() throws Exception {
    Process pipe = new ProcessBuilder("printf", "piped").start();
    Path fifo = temporary.resolve("fifo");
    assertThat(new ProcessBuilder("mkfifo", fifo.toString()).start().waitFor()).isZero();
    Process feeder = new ProcessBuilder("sh", "-c", "printf fed > \"$0\"", fifo.toString()).start();
    try (InputStream in = new FileInputStream(fifo.toFile())) {
      files.write("fed", in, soon());
    } finally {
      feeder.destroyForcibly();
    }
    files.write("piped", pipe.getInputStream(), soon());
    try (InputStream in = new FileInputStream("/proc/version")) {
      files.write("version", in, soon());
    }
    assertThat(read("fed")).isEqualTo("fed");
    assertThat(read("piped")).isEqualTo("piped");
    assertThat(read("version")).isEqualTo(Files.readString(Path.of("/proc/version")));
  }

  @Test
  @Tag("S-FILE-03")
  void aFailedWriteLeavesTheOldFile() throws Exception {
    write("f", "old");
    InputStream broken =
        new InputStream() {
          private int left = 10;

          @Override
          public int read() throws IOException {
            if (left-- == 0) {
              throw new IOException("broken");
            }
            return 'x';
          }
        };
    assertCode(ErrorCode.FILE_FAILED, () -> files.write("f", broken, soon()));
    assertThat(read("f")).isEqualTo("old");
    assertThat(files.list(".", soon())).hasSize(1);
  }

  @Test
  void aReplacedFileKeepsItsMode() throws Exception {
    write("run.sh", "a");
    Files.setPosixFilePermissions(
        root.resolve("run.sh"), PosixFilePermissions.fromString("rwxr-x---"));
    write("run.sh", "b");
    assertThat(files.stat("run.sh", soon()).permissions()).isEqualTo("0750");
  }

  @ParameterizedTest
  @ValueSource(
      strings = {
        "a b",
        "-n",
        "--help",
        "$(touch pwn)",
        "quote'q",
        "dq\"d",
        "x\ny",
        "*",
        "back\\slash",
        ".hidden",
        "caf\u00e9",
        "l -> m"
      })
  @Tag("S-FILE-03")
  void oddNamesWork(String name) throws Exception {
    write(name, "v");
    assertThat(read(name)).isEqualTo("v");
    assertThat(files.list(".", soon())).extracting(FileInfo::path).containsExactly(name);
    assertThat(files.stat(name, soon()).kind()).isEqualTo(FileInfo.Kind.FILE);
    files.remove(name, false, soon());
    assertThat(files.list(".", soon())).isEmpty();
  }

  @Test
  @Tag("S-FILE-02")
  void linksThatLeadOutAreRefused() throws Exception {
    Files.createSymbolicLink(root.resolve("abs"), outside.resolve("secret"));
    Files.createSymbolicLink(root.resolve("rel"), Path.of("../outside/secret"));
    Files.createSymbolicLink(root.resolve("dir"), outside);
    Files.createSymbolicLink(root.resolve("up"), Path.of(".."));
    Files.createSymbolicLink(root.resolve("twice"), Path.of("up/outside/secret"));
    for (String path : List.of("abs", "rel", "dir/secret", "up/outside/secret", "twice")) {
      assertCode(ErrorCode.INVALID_PATH, () -> files.open(path, soon()));
      assertCode(ErrorCode.INVALID_PATH, () -> write(path, "evil"));
    }
    assertCode(ErrorCode.INVALID_PATH, () -> files.list("dir", soon()));
    assertCode(ErrorCode.INVALID_PATH, () -> files.makeDirectories("dir/new", soon()));
    assertCode(ErrorCode.INVALID_PATH, () -> files.remove("dir/secret", true, soon()));
    assertThat(Files.readString(outside.resolve("secret"))).isEqualTo("secret");
    try (var entries = Files.list(outside)) {
      assertThat(entries).hasSize(1);
    }
  }

  @Test
  @Tag("S-FILE-02")
  void linksInsideAreFollowed() throws Exception {
    write("d/f", "inside");
    Files.createSymbolicLink(root.resolve("l1"), Path.of("d/f"));
    Files.createSymbolicLink(root.resolve("l2"), root.resolve("d"));
    Files.createSymbolicLink(root.resolve("d/back"), Path.of("../d/./f"));
    assertThat(read("l1")).isEqualTo("inside");
    assertThat(read("l2/f")).isEqualTo("inside");
    assertThat(read("l2/back")).isEqualTo("inside");
    write("l1", "new");
    assertThat(Files.isSymbolicLink(root.resolve("l1"))).isTrue();
    assertThat(Files.readString(root.resolve("d/f"))).isEqualTo("new");
    assertThat(files.stat("l1", soon()).kind()).isEqualTo(FileInfo.Kind.LINK);
    assertThat(files.list("l2", soon()))
        .extracting(FileInfo::path)
        .containsExactlyInAnyOrder("l2/f", "l2/back");
  }

  @Test
  @Tag("S-FILE-02")
  void loopsAreRefused() throws Exception {
    Files.createSymbolicLink(root.resolve("a"), Path.of("b"));
    Files.createSymbolicLink(root.resolve("b"), Path.of("a"));
    assertCode(ErrorCode.INVALID_PATH, () -> files.open("a", soon()));
  }

  @Test
  @Tag("S-FILE-02")
  void removingALinkKeepsItsTarget() throws Exception {
    Files.createSymbolicLink(root.resolve("l"), outside);
    files.remove("l", true, soon());
    write("t/f", "x");
    Files.createSymbolicLink(root.resolve("t/l"), outside);
    files.remove("t", true, soon());
    assertThat(Files.readString(outside.resolve("secret"))).isEqualTo("secret");
    assertThat(files.list(".", soon())).isEmpty();
  }

  @Test
  @Tag("S-FILE-02")
  void aLinkSwappedInMeanwhileLeadsNowhere() throws Exception {
    AtomicBoolean done = new AtomicBoolean();
    Thread swapper =
        new Thread(
            () -> {
              Path door = root.resolve("door");
              while (!done.get()) {
                try {
                  Files.createDirectory(door);
                  TreeRemoval.remove(door, () -> {});
                  Files.createSymbolicLink(door, outside);
                  Files.delete(door);
                } catch (IOException | InterruptedException e) {
                  continue;
                }
              }
            });
    swapper.start();
    int written = 0;
    for (int i = 0; i < 500; i++) {
      try {
        write("door/planted", "x");
        written++;
      } catch (SandboxException e) {
        assertThat(e.code())
            .isIn(ErrorCode.INVALID_PATH, ErrorCode.FILE_NOT_FOUND, ErrorCode.FILE_FAILED);
      }
    }
    done.set(true);
    swapper.join();
    assertThat(written).isPositive();
    assertThat(Files.exists(outside.resolve("planted"), LinkOption.NOFOLLOW_LINKS)).isFalse();
    assertThat(outside.resolve("secret")).exists();
  }

  @Test
  @Tag("S-FILE-02")
  void aDirectoryIsNeverEnteredThroughALink() throws Exception {
    Files.createSymbolicLink(root.resolve("l"), outside);
    try (DirectoryHandle directory = DirectoryHandle.root(root)) {
      assertThatThrownBy(() -> directory.child("l")).isInstanceOf(NotDirectoryException.class);
    }
  }

  @Test
  @Tag("S-FILE-04")
  void missingAndNonEmptyAreTyped() throws Exception {
    assertCode(ErrorCode.FILE_NOT_FOUND, () -> files.open("no", soon()));
    assertCode(ErrorCode.FILE_NOT_FOUND, () -> files.open("no/such", soon()));
    assertCode(ErrorCode.FILE_NOT_FOUND, () -> files.stat("no", soon()));
    assertCode(ErrorCode.FILE_NOT_FOUND, () -> files.list("no", soon()));
    assertCode(ErrorCode.FILE_NOT_FOUND, () -> files.remove("no", false, soon()));
    files.remove("no", true, soon());
    files.remove("no/such", true, soon());
    write("d/f", "x");
    assertCode(ErrorCode.FILE_FAILED, () -> files.remove("d", false, soon()));
    assertCode(ErrorCode.FILE_FAILED, () -> files.open("d", soon()));
    assertCode(ErrorCode.FILE_FAILED, () -> files.list("d/f", soon()));
    assertCode(ErrorCode.FILE_FAILED, () -> write("d", "x"));
    assertCode(ErrorCode.FILE_FAILED, () -> files.makeDirectories("d/f", soon()));
    files.remove("d", true, soon());
    assertThat(files.list(".", soon())).isEmpty();
  }

  @Test
  void entriesAreDescribed() throws Exception {
    files.makeDirectories("d/e", soon());
    files.makeDirectories("d/e", soon());
    write("d/f", "12345");
    FileInfo file = files.stat("d/f", soon());
    assertThat(file.kind()).isEqualTo(FileInfo.Kind.FILE);
    assertThat(file.size()).isEqualTo(5);
    FileInfo directory = files.stat("d", soon());
    assertThat(directory.kind()).isEqualTo(FileInfo.Kind.DIRECTORY);
    assertThat(directory.size()).isZero();
    assertThat(files.stat(".", soon()).path()).isEqualTo(".");
    assertThat(files.list("d", soon()))
        .extracting(FileInfo::path)
        .containsExactlyInAnyOrder("d/e", "d/f");
  }

  @Test
  void treesThatTheirOwnerClosedAreRemoved() throws Exception {
    write("d/e/f", "x");
    Files.setPosixFilePermissions(
        root.resolve("d/e"), PosixFilePermissions.fromString("---------"));
    files.remove("d", true, soon());
    assertThat(files.list(".", soon())).isEmpty();
  }

  @Test
  void aPassedDeadlineEndsAWrite() {
    Deadline passed = Deadline.after(Duration.ZERO);
    assertThat(passed.expired()).isTrue();
    assertCode(
        ErrorCode.FILE_FAILED,
        () -> files.write("f", new ByteArrayInputStream(new byte[10]), passed));
    assertThat(root.resolve("f")).doesNotExist();
  }
}
