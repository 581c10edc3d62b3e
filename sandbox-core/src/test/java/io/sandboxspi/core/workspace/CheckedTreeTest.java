package io.sandboxspi.core.workspace;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.TreeEntry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.apache.commons.compress.archivers.tar.TarConstants;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class CheckedTreeTest {
  private static List<String> read(byte[] tar, ArchiveLimits limits, boolean outsideLinks)
      throws IOException, InterruptedException {
    CountedStream counted = new CountedStream(new ByteArrayInputStream(tar));
    List<String> paths = new ArrayList<>();
    try (CheckedTree tree =
        new CheckedTree(new TarTree(counted), limits, outsideLinks, counted::count)) {
      byte[] chunk = new byte[4096];
      for (Optional<TreeEntry> next = tree.next(); next.isPresent(); next = tree.next()) {
        paths.add(next.get().path());
        while (next.get().size() > 0 && tree.read(chunk, 0, chunk.length) >= 0) {
          continue;
        }
      }
    }
    return paths;
  }

  private static List<String> read(TarBuilder tar) throws IOException, InterruptedException {
    return read(tar.build(), ArchiveLimits.defaults(), false);
  }

  private static void refused(ErrorCode code, byte[] tar, ArchiveLimits limits, String words) {
    assertThatThrownBy(() -> read(tar, limits, false))
        .isInstanceOfSatisfying(
            SandboxException.class,
            e -> {
              assertThat(e.code()).as(e.toString()).isEqualTo(code);
              assertThat(e).hasMessageContaining(words);
            });
  }

  private static TarBuilder tar() {
    return new TarBuilder();
  }

  static Stream<Arguments> badArchives() {
    return Stream.of(
        Arguments.of("up", tar().file("../up", "x"), "leads out"),
        Arguments.of("up in the middle", tar().file("a/../../up2", "x"), "leads out"),
        Arguments.of("up and back", tar().file("a/../b", "x"), "leads out"),
        Arguments.of("absolute", tar().file("/tmp/abs-evil", "x"), "absolute"),
        Arguments.of("network path", tar().file("//srv/up5", "x"), "absolute"),
        Arguments.of("backslash", tar().file("..\\up3", "x"), "Windows"),
        Arguments.of("drive", tar().file("C:/up4", "x"), "Windows"),
        Arguments.of("no name", tar().file("", "x"), "no name"),
        Arguments.of("file as top", tar().file(".", "x"), "top"),
        Arguments.of("link as top", tar().link("./", "x"), "top"),
        Arguments.of("twice", tar().file("a", "1").file("./a", "2"), "twice"),
        Arguments.of("link then file", tar().link("a", "b").file("a", "2"), "twice"),
        Arguments.of("directory then link", tar().file("d/f", "1").link("d", "e"), "twice"),
        Arguments.of("below a file", tar().file("a", "1").file("a/b", "2"), "below"),
        Arguments.of("below a link", tar().directory("d").link("l", "d").file("l/f", ""), "below"),
        Arguments.of("absolute link", tar().link("l", "/etc/passwd"), "absolute"),
        Arguments.of("link up", tar().link("d/l", "../../x"), "leads out"),
        Arguments.of(
            "link up by another", tar().link("d/l", "..").link("m", "d/l/.."), "leads out"),
        Arguments.of("link loop", tar().link("a", "b").link("b", "a"), "too many"),
        Arguments.of("Windows link", tar().link("l", "..\\x"), "Windows"),
        Arguments.of("hard link up", tar().hardLink("x", "../secret"), "leads out"),
        Arguments.of("hard link to the host", tar().hardLink("x", "/etc/passwd"), "absolute"),
        Arguments.of("hard link to nothing", tar().hardLink("x", "y"), "hard link"),
        Arguments.of(
            "hard link through a link",
            tar().file("victim", "v").hardLink("door/h", "victim").link("door", "../outside"),
            "twice"),
        Arguments.of(
            "hard link to a link", tar().file("f", "").link("l", "f").hardLink("h", "l"), "hard"),
        Arguments.of(
            "device", tar().entry("dev", TarConstants.LF_CHR, new byte[0], e -> {}), "no file"),
        Arguments.of(
            "block device", tar().entry("b", TarConstants.LF_BLK, new byte[0], e -> {}), "no file"),
        Arguments.of(
            "pipe", tar().entry("fifo", TarConstants.LF_FIFO, new byte[0], e -> {}), "no file"),
        Arguments.of("long name", tar().file("x".repeat(256), ""), "longer than 255"),
        Arguments.of("long path", tar().file("ab/".repeat(1400) + "f", ""), "longer than 4095"));
  }

  @ParameterizedTest(name = "{0}")
  @MethodSource("badArchives")
  @Tag("S-ARCH-02")
  void badArchivesAreRefused(String what, TarBuilder tar, String words) {
    refused(ErrorCode.INVALID_ARCHIVE, tar.build(), ArchiveLimits.defaults(), words);
  }

  @Test
  @Tag("S-ARCH-02")
  void goodArchivesPass() throws Exception {
    String odd = "-n \"'$(x)\n*é" + "ü".repeat(100);
    List<String> read =
        read(
            tar()
                .directory("./")
                .directory("d/")
                .file("d/f", "1")
                .directory("d")
                .link("d/l", "../d/f")
                .link("dangling", "no/such")
                .link("m", "d/../n")
                .hardLink("h", "d/f")
                .file("./a\\b", "1")
                .file("x//./y/", "")
                .file(odd, "2"));
    assertThat(read)
        .containsExactly("d", "d/f", "d", "d/l", "dangling", "m", "h", "a\\b", "x/y", odd);
  }

  @Test
  @Tag("S-ARCH-02")
  void linksMayLeadOutWhereTheyAreAllowedTo() throws Exception {
    byte[] tar = tar().link("python", "/usr/bin/python3").link("up", "../x").build();
    assertThat(read(tar, ArchiveLimits.defaults(), true)).containsExactly("python", "up");
    byte[] below = tar().link("l", "/etc").file("l/f", "").build();
    assertThatThrownBy(() -> read(below, ArchiveLimits.defaults(), true))
        .hasMessageContaining("below");
  }

  @Test
  @Tag("S-ARCH-02")
  void anArchiveThatIsCutIsCorrupt() {
    byte[] whole = tar().file("a", new byte[10_000]).build();
    for (int length : new int[] {0, 100, 512, 600, 5_000, 512 + 10_240}) {
      refused(
          ErrorCode.INVALID_ARCHIVE, Arrays.copyOf(whole, length), ArchiveLimits.defaults(), "");
    }
    byte[] noise = new byte[2_000];
    Arrays.fill(noise, (byte) 'x');
    refused(ErrorCode.INVALID_ARCHIVE, noise, ArchiveLimits.defaults(), "cannot be read");
  }

  @Test
  @Tag("S-ARCH-03")
  void boundsAreKept() throws Exception {
    ArchiveLimits limits = ArchiveLimits.defaults();
    byte[] three = tar().file("a", new byte[500]).file("b", new byte[500]).directory("c").build();
    assertThat(read(three, limits.members(3).bytesOut(1_000).bytesIn(three.length), false))
        .hasSize(3);
    refused(ErrorCode.LIMIT_EXCEEDED, three, limits.members(2), "members 3; allowed: at most 2");
    refused(ErrorCode.LIMIT_EXCEEDED, three, limits.bytesOut(999), "bytes out 1000");
    refused(ErrorCode.LIMIT_EXCEEDED, three, limits.bytesIn(1_000), "bytes in");
  }

  @Test
  @Tag("S-ARCH-03")
  void sizesThatOverflowAreNoWayAround() {
    byte[] huge = tar().file("a", new byte[10]).build();
    // The size field of the header: as large as it goes, with a right checksum.
    byte[] size = "77777777777\0".getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    System.arraycopy(size, 0, huge, 124, size.length);
    long sum = 0;
    Arrays.fill(huge, 148, 156, (byte) ' ');
    for (int i = 0; i < 512; i++) {
      sum += huge[i] & 0xff;
    }
    byte[] checksum =
        String.format("%06o\0 ", sum).getBytes(java.nio.charset.StandardCharsets.US_ASCII);
    System.arraycopy(checksum, 0, huge, 148, checksum.length);
    refused(ErrorCode.LIMIT_EXCEEDED, huge, ArchiveLimits.defaults(), "bytes out");
  }
}
