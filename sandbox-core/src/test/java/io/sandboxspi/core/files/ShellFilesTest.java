package io.sandboxspi.core.files;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.FileInfo;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.World;
import io.sandboxspi.core.workspace.WorkspaceArchives;
import io.sandboxspi.core.workspace.WorkspaceArchives.OutsideLinks;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.FileTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.FilterInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.time.Duration;
import java.util.List;
import java.util.Random;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("S-FILE-09")
class ShellFilesTest {
  private static final List<String> ODD =
      List.of(
          "a b",
          "-n",
          "--help",
          "$(touch pwn)",
          "quote'q",
          "dq\"d",
          "x\ny",
          "newline at the end\n",
          "*",
          "[a]",
          ".hidden",
          "café",
          "back\\slash",
          " lead",
          "trail ",
          "ü".repeat(127));

  @TempDir Path temporary;
  private Path root;
  private Path outside;

  @BeforeEach
  void makeDirectories() throws IOException {
    root = Files.createDirectory(temporary.toRealPath().resolve("root"));
    outside = Files.createDirectory(temporary.toRealPath().resolve("out"));
    Files.writeString(outside.resolve("secret"), "secret");
  }

  private ShellFiles files(World world) {
    return ShellFiles.over(new ProcessAccess(world, 0, 1_000), root.toString());
  }

  private static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(30));
  }

  private static void code(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).as(e.toString()).isEqualTo(code));
  }

  private static InputStream bytes(String text) {
    return new ByteArrayInputStream(text.getBytes(UTF_8));
  }

  private static byte[] read(ShellFiles files, String path) throws Exception {
    try (InputStream in = files.open(path, soon())) {
      return in.readAllBytes();
    }
  }

  @ParameterizedTest
  @EnumSource
  void bytesComeBackUnchanged(World world) throws Exception {
    byte[] large = new byte[1_500_000];
    new Random(5).nextBytes(large);
    for (int small : new int[] {0, 2_000_000}) {
      ShellFiles files = ShellFiles.over(new ProcessAccess(world, small, 1_000), root.toString());
      for (byte[] content : List.of(large, new byte[0], new byte[999], new byte[1_000])) {
        files.write("a/b/f", new ByteArrayInputStream(content), soon());
        assertThat(read(files, "a/b/f")).isEqualTo(content);
      }
    }
    assertThat(root.resolve("a/b").toFile().list()).containsExactly("f");
  }

  @ParameterizedTest
  @EnumSource
  void oddNamesWork(World world) throws Exception {
    ShellFiles files = files(world);
    for (String name : ODD) {
      files.write("odd/" + name, bytes(name), soon());
    }
    assertThat(files.list("odd", soon()))
        .extracting(FileInfo::path)
        .containsExactlyInAnyOrderElementsOf(ODD.stream().map("odd/"::concat).toList());
    for (String name : ODD) {
      assertThat(new String(read(files, "odd/" + name), UTF_8)).isEqualTo(name);
      files.move("odd/" + name, "moved/" + name, soon());
      assertThat(files.stat("moved/" + name, soon()).kind()).isEqualTo(FileInfo.Kind.FILE);
      files.remove("moved/" + name, false, soon());
    }
    assertThat(files.list("odd", soon())).isEmpty();
    assertThat(files.list("moved", soon())).isEmpty();
    assertThat(root.resolve("pwn")).doesNotExist();
  }

  @ParameterizedTest
  @EnumSource
  void nothingGoesOut(World world) throws Exception {
    ShellFiles files = files(world);
    Files.createSymbolicLink(root.resolve("out"), outside);
    Files.createSymbolicLink(root.resolve("file"), Path.of("../out/secret"));
    code(ErrorCode.INVALID_PATH, () -> read(files, "file"));
    code(ErrorCode.INVALID_PATH, () -> read(files, "out/secret"));
    code(ErrorCode.INVALID_PATH, () -> files.write("out/new", bytes("x"), soon()));
    code(ErrorCode.INVALID_PATH, () -> files.list("out", soon()));
    code(ErrorCode.INVALID_PATH, () -> files.makeDirectories("out/d", soon()));
    code(ErrorCode.INVALID_PATH, () -> files.remove("out/secret", true, soon()));
    code(ErrorCode.INVALID_PATH, () -> files.setMode("file", 0777, soon()));
    code(ErrorCode.INVALID_PATH, () -> files.readTree("out", List.of(), soon()).close());
    Files.writeString(root.resolve("f"), "f");
    code(ErrorCode.INVALID_PATH, () -> files.move("f", "out/f", soon()));
    code(ErrorCode.INVALID_PATH, () -> files.move("out/secret", "f", soon()));
    files.remove("out", true, soon());
    files.move("file", "moved", soon());
    files.remove("moved", false, soon());
    assertThat(outside.toFile().list()).containsExactly("secret");
    assertThat(outside.resolve("secret")).hasContent("secret");
  }

  @ParameterizedTest
  @EnumSource
  void movesAndModes(World world) throws Exception {
    ShellFiles files = files(world);
    files.write("f", bytes("f"), soon());
    files.write("g", bytes("g"), soon());
    files.setMode("f", 0751, soon());
    assertThat(files.stat("f", soon()).permissions()).isEqualTo("0751");
    files.write("f", bytes("again"), soon());
    assertThat(files.stat("f", soon()).permissions()).isEqualTo("0751");
    files.move("f", "g", soon());
    assertThat(root.resolve("g")).hasContent("again");
    Files.createDirectory(root.resolve("d"));
    Files.createSymbolicLink(root.resolve("l"), Path.of("d"));
    code(ErrorCode.FILE_FAILED, () -> files.move("g", "d", soon()));
    files.move("g", "l", soon());
    assertThat(Files.isSymbolicLink(root.resolve("l"))).isFalse();
    assertThat(root.resolve("d").toFile().list()).isEmpty();
    code(ErrorCode.FILE_NOT_FOUND, () -> files.move("no", "x", soon()));
  }

  @ParameterizedTest
  @EnumSource
  void treesComeBackFromArchives(World world) throws Exception {
    ShellFiles files = files(world);
    Path from = Files.createDirectories(root.resolve("from"));
    for (String name : ODD) {
      Files.writeString(from.resolve(name), name);
    }
    Path deep = Files.createDirectories(from.resolve("d/" + "deep/".repeat(30)));
    Files.writeString(deep.resolve("f"), "deep");
    Files.createDirectory(from.resolve("closed"));
    Files.writeString(from.resolve("closed/in"), "in");
    Files.setPosixFilePermissions(
        from.resolve("closed"), PosixFilePermissions.fromString("r-xr-x---"));
    Files.createSymbolicLink(from.resolve("link"), Path.of("closed"));
    Files.createSymbolicLink(from.resolve("up"), Path.of("../../etc"));
    Files.createLink(from.resolve("second"), from.resolve("-n"));
    Files.createDirectories(from.resolve("left/out"));
    Files.writeString(from.resolve("left/out/f"), "x");
    ByteArrayOutputStream archive = new ByteArrayOutputStream();
    ArchiveSummary out =
        WorkspaceArchives.persist(files, "from", List.of("left/out"), archive, soon());
    files.write("to/before", bytes("x"), soon());
    ArchiveSummary in =
        WorkspaceArchives.hydrate(
            files,
            "to",
            new ByteArrayInputStream(archive.toByteArray()),
            ArchiveLimits.defaults(),
            OutsideLinks.KEEP,
            soon());
    assertThat(in).isEqualTo(out);
    assertThat(root.resolve("to/before")).doesNotExist();
    assertThat(root.resolve("to/left/out")).doesNotExist();
    assertThat(Files.getPosixFilePermissions(root.resolve("to/closed")))
        .isEqualTo(PosixFilePermissions.fromString("r-xr-x---"));
    assertThat(WorkspaceArchives.fingerprint(files, "to", List.of(), soon()).members())
        .isEqualTo(out.members());
    try (var names = Files.list(root.resolve("to"))) {
      assertThat(names).noneMatch(name -> name.getFileName().toString().startsWith(".sandbox"));
    }
    files.remove("to", true, soon());
    files.remove("from", true, soon());
    assertThat(root.toFile().list()).isEmpty();
  }

  @ParameterizedTest
  @EnumSource
  void aBadArchiveLeavesTheDirectoryAsItWas(World world) throws Exception {
    ShellFiles files = files(world);
    files.write("to/before", bytes("x"), soon());
    for (String bad : List.of("", "no archive at all, but longer than a header".repeat(20))) {
      code(
          ErrorCode.INVALID_ARCHIVE,
          () ->
              WorkspaceArchives.hydrate(
                  files, "to", bytes(bad), ArchiveLimits.defaults(), OutsideLinks.REFUSE, soon()));
    }
    assertThat(root.resolve("to").toFile().list()).containsExactly("before");
  }

  @ParameterizedTest
  @EnumSource
  void aContentThatBreaksOffLeavesTheOldFile(World world) throws Exception {
    ShellFiles files = files(world);
    files.write("f", bytes("old"), soon());
    InputStream broken =
        new InputStream() {
          private int left = 200_000;

          @Override
          public int read() throws IOException {
            if (left-- <= 0) {
              throw new IOException("broken");
            }
            return 'x';
          }
        };
    code(ErrorCode.FILE_FAILED, () -> files.write("f", broken, soon()));
    assertThat(root.resolve("f")).hasContent("old");
    assertThat(root.toFile().list()).containsExactly("f");
  }

  /** A way that loses the end of every stream, and says that all is well. */
  private record Cutting(ShellAccess way, long most) implements ShellAccess {
    @Override
    public byte[] ask(String text, Deadline deadline) throws InterruptedException {
      return way.ask(text, deadline);
    }

    @Override
    public InputStream read(String text, Deadline deadline) throws InterruptedException {
      return new Shortened(way.read(text, deadline), most);
    }

    @Override
    public byte[] write(String text, InputStream content, Deadline deadline)
        throws InterruptedException {
      byte[] answer = way.write(text, new Shortened(content, most), deadline);
      try {
        content.transferTo(OutputStream.nullOutputStream());
      } catch (IOException e) {
        throw new UncheckedIOException(e);
      }
      return answer;
    }

    @Override
    public int smallRead() {
      return 0;
    }

    @Override
    public int smallWrite() {
      return 0;
    }
  }

  private static final class Shortened extends FilterInputStream {
    private long left;

    Shortened(InputStream in, long most) {
      super(in);
      this.left = most;
    }

    @Override
    public int read() throws IOException {
      return left-- > 0 ? in.read() : -1;
    }

    @Override
    public int read(byte[] target, int offset, int length) throws IOException {
      int count = left <= 0 ? -1 : in.read(target, offset, (int) Math.min(length, left));
      left -= Math.max(0, count);
      return count;
    }
  }

  private static long length(InputStream in) throws IOException {
    try (in) {
      return in.transferTo(OutputStream.nullOutputStream());
    }
  }

  @ParameterizedTest
  @EnumSource
  void aStreamThatIsCutShortIsNeverTakenForTheWhole(World world) throws Exception {
    ShellAccess whole = new ProcessAccess(world, 0, 0);
    ShellFiles files = ShellFiles.over(whole, root.toString());
    byte[] content = new byte[1_300];
    new Random(3).nextBytes(content);
    for (String name : List.of("a", "b", "d/c")) {
      files.write("tree/" + name, new ByteArrayInputStream(content), soon());
    }
    long size = length(whole.read("sf_cat '" + root + "' tree/a " + "m".repeat(36), soon()));
    for (long most : new long[] {0, 2, 3, 100, size - 37, size - 1}) {
      ShellFiles cut = ShellFiles.over(new Cutting(whole, most), root.toString());
      assertThatThrownBy(() -> read(cut, "tree/a")).as("%s of %s", most, size).isNotNull();
    }
    for (long most : new long[] {0, 1, content.length - 1}) {
      ShellFiles cut = ShellFiles.over(new Cutting(whole, most), root.toString());
      code(
          ErrorCode.FILE_FAILED,
          () -> cut.write("new/f", new ByteArrayInputStream(content), soon()));
      assertThat(root.resolve("new").toFile().list()).as("%s", most).isNullOrEmpty();
    }
    // Between members, in a header, in a content; the end mark of a tar is padded.
    for (long most : new long[] {0, 512, 513, 1_024, 2_560, 5_120}) {
      ShellFiles cut = ShellFiles.over(new Cutting(whole, most), root.toString());
      assertThatThrownBy(
              () -> {
                try (FileTree tree = cut.readTree("tree", List.of(), soon())) {
                  while (tree.next().isPresent()) {
                    continue;
                  }
                }
              })
          .as("%s", most)
          .isNotNull();
      try (FileTree tree = files.readTree("tree", List.of(), soon())) {
        assertThatThrownBy(() -> cut.writeTree("copy" + most, tree, soon()))
            .as("%s", most)
            .isInstanceOf(SandboxException.class);
      }
    }
  }
}
