package io.sandboxspi.core.workspace;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.ArchiveSummary;
import java.io.ByteArrayInputStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class FingerprintTreeTest {
  private static FingerprintTree tree(byte[] tar) {
    return new FingerprintTree(new TarTree(new ByteArrayInputStream(tar)));
  }

  private static ArchiveSummary of(byte[] tar) throws Exception {
    FingerprintTree tree = tree(tar);
    while (tree.next().isPresent()) {
      continue;
    }
    return tree.summary();
  }

  @Test
  @Tag("S-ARCH-06")
  void itIsOfContentsAndNotOfOrderOrTimes() throws Exception {
    byte[] one = new TarBuilder().file("a", "1").directory("d").link("l", "a").build();
    byte[] other =
        new TarBuilder()
            .link("l", "a")
            .entry("a", (byte) '0', new byte[] {'1'}, entry -> entry.setModTime(5_000L))
            .directory("./d/")
            .build();
    ArchiveSummary summary = of(one);
    assertThat(of(other)).isEqualTo(summary);
    assertThat(summary.fingerprint()).matches("[0-9a-f]{64}");
    assertThat(summary.members()).isEqualTo(3);
    assertThat(summary.bytes()).isEqualTo(1);
  }

  @Test
  @Tag("S-ARCH-06")
  void everythingThatMattersChangesIt() throws Exception {
    List<TarBuilder> different =
        List.of(
            new TarBuilder(),
            new TarBuilder().file("a", "1"),
            new TarBuilder().file("a", "2"),
            new TarBuilder().file("b", "1"),
            new TarBuilder().file("a", "1").file("b", ""),
            new TarBuilder().file("a", "").file("b", "1"),
            new TarBuilder().directory("a"),
            new TarBuilder().link("a", "1"),
            new TarBuilder().link("a", "2"),
            new TarBuilder().entry("a", (byte) '0', new byte[] {'1'}, e -> e.setMode(0755)));
    List<String> fingerprints = new ArrayList<>();
    for (TarBuilder tar : different) {
      fingerprints.add(of(tar.build()).fingerprint());
    }
    assertThat(fingerprints).doesNotHaveDuplicates();
  }

  @Test
  @Tag("S-ARCH-06")
  void itIsTheSameOnTheWayOutAndIn() throws Exception {
    byte[] large = new byte[700_000];
    new Random(1).nextBytes(large);
    byte[] tar = new TarBuilder().file("large", large).file("empty", "").file("é/x", "y").build();
    FingerprintTree out = tree(tar);
    byte[] written = new TarStream(out).readAllBytes();
    assertThat(of(written)).isEqualTo(out.summary()).isEqualTo(of(tar));
  }
}
