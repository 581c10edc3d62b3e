package io.sandboxspi.core.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.FileTree;
import io.sandboxspi.spi.TreeEntry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import net.jqwik.api.Arbitraries;
import net.jqwik.api.Arbitrary;
import net.jqwik.api.Combinators;
import net.jqwik.api.ForAll;
import net.jqwik.api.Property;
import net.jqwik.api.Provide;
import net.jqwik.api.Tag;
import org.apache.commons.compress.archivers.tar.TarConstants;

/** Whatever is in an archive, it is unpacked inside or refused. */
class ArchiveProperties {
  private static final ArchiveLimits LIMITS =
      ArchiveLimits.defaults().bytesOut(1 << 20).members(100);

  /** A member with a name and a target made to lead astray. */
  record Member(byte kind, String name, String target, int size) {}

  @Provide
  Arbitrary<List<Member>> members() {
    Arbitrary<String> part =
        Arbitraries.of(
            "a", "b", "c", "..", ".", "", "outside", "canary", "x\ny", "-n", "é", "a\\b");
    Arbitrary<String> path =
        part.list()
            .ofMinSize(1)
            .ofMaxSize(4)
            .map(parts -> String.join("/", parts))
            .flatMap(text -> Arbitraries.of(text, "./" + text, text + "/", "/" + text, text, text));
    Arbitrary<Byte> kind =
        Arbitraries.of(
            TarConstants.LF_NORMAL,
            TarConstants.LF_NORMAL,
            TarConstants.LF_DIR,
            TarConstants.LF_SYMLINK,
            TarConstants.LF_SYMLINK,
            TarConstants.LF_LINK,
            TarConstants.LF_FIFO,
            TarConstants.LF_CHR);
    return Combinators.combine(kind, path, path, Arbitraries.integers().between(0, 700))
        .as(Member::new)
        .list()
        .ofMinSize(1)
        .ofMaxSize(7);
  }

  private static byte[] tar(List<Member> members) {
    TarBuilder tar = new TarBuilder();
    for (Member member : members) {
      boolean file = member.kind() == TarConstants.LF_NORMAL && !member.name().endsWith("/");
      byte[] content = new byte[file ? member.size() : 0];
      Object unused =
          tar.entry(
              member.name(), member.kind(), content, entry -> entry.setLinkName(member.target()));
    }
    return tar.build();
  }

  @Property
  @Tag("S-ARCH-02")
  void nothingIsUnpackedOutside(@ForAll("members") List<Member> members) throws Exception {
    Path base = Files.createTempDirectory("archive");
    Path root = Files.createDirectory(base.resolve("root"));
    Path outside = Files.createDirectory(base.resolve("outside"));
    Files.writeString(outside.resolve("canary"), "alive");
    try {
      boolean complete = unpack(tar(members), root);
      assertThat(base.toFile().list()).containsExactlyInAnyOrder("root", "outside");
      assertThat(outside.toFile().list()).containsExactly("canary");
      assertThat(Files.readString(outside.resolve("canary"))).isEqualTo("alive");
      assertThat(Files.getAttribute(outside.resolve("canary"), "unix:nlink")).isEqualTo(1);
      if (complete) {
        linksStayInside(root);
      }
    } finally {
      try (Stream<Path> all = Files.walk(base)) {
        for (Path path : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(path);
        }
      }
    }
  }

  private static boolean unpack(byte[] archive, Path root)
      throws IOException, InterruptedException {
    CountedStream counted = new CountedStream(new ByteArrayInputStream(archive));
    try (FileTree tree =
        new CheckedTree(ArchiveSource.open(counted, LIMITS), LIMITS, false, counted::count)) {
      new HostTreeWriter(root).write(tree);
      return true;
    } catch (SandboxException e) {
      assertThat(e.code()).isIn(ErrorCode.INVALID_ARCHIVE, ErrorCode.LIMIT_EXCEEDED);
      return false;
    }
  }

  private static void linksStayInside(Path root) throws IOException {
    try (Stream<Path> all = Files.walk(root)) {
      for (Path path : all.toList()) {
        if (Files.isSymbolicLink(path) && Files.exists(path)) {
          assertThat(path.toRealPath()).as(path.toString()).startsWith(root.toRealPath());
        }
        assertThat(
                Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS)
                    || Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS)
                    || Files.isSymbolicLink(path))
            .isTrue();
      }
    }
  }

  @Provide
  Arbitrary<byte[]> damaged() {
    byte[] tar =
        new TarBuilder()
            .directory("d/")
            .file("d/f", new byte[1_000])
            .link("l", "d/f")
            .hardLink("h", "d/f")
            .file("x".repeat(150), "long")
            .build();
    List<byte[]> whole = List.of(tar, ZipBuilder.zip(), ZipBuilder.gzip(tar));
    return Arbitraries.of(whole)
        .flatMap(
            archive ->
                Combinators.combine(
                        Arbitraries.integers().between(0, archive.length - 1).list().ofMaxSize(6),
                        Arbitraries.bytes(),
                        Arbitraries.integers().between(archive.length / 2, archive.length))
                    .as((places, value, length) -> damage(archive, places, value, length)));
  }

  private static byte[] damage(byte[] archive, List<Integer> places, byte value, int length) {
    byte[] copy = Arrays.copyOf(archive, length);
    for (int place : places) {
      if (place < length) {
        copy[place] = (byte) (copy[place] ^ (value | 1));
      }
    }
    return copy;
  }

  @Property
  @Tag("S-ARCH-02")
  void whatIsDamagedIsReadOrRefused(@ForAll("damaged") byte[] archive) throws Exception {
    CountedStream counted = new CountedStream(new ByteArrayInputStream(archive));
    byte[] chunk = new byte[4_096];
    try (FileTree tree =
        new CheckedTree(ArchiveSource.open(counted, LIMITS), LIMITS, false, counted::count)) {
      for (Optional<TreeEntry> next = tree.next(); next.isPresent(); next = tree.next()) {
        while (next.get().size() > 0 && tree.read(chunk, 0, chunk.length) >= 0) {
          continue;
        }
      }
    } catch (SandboxException e) {
      assertThat(e.code()).isIn(ErrorCode.INVALID_ARCHIVE, ErrorCode.LIMIT_EXCEEDED);
    }
  }
}
