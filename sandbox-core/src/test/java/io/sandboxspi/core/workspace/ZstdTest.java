package io.sandboxspi.core.workspace;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.ArchiveFormat;
import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.FileTree;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-ARCH-02")
class ZstdTest {
  private static String content(byte[] archive) throws IOException, InterruptedException {
    CountedStream source = new CountedStream(new ByteArrayInputStream(archive));
    try (FileTree tree = ArchiveSource.open(source, ArchiveLimits.defaults())) {
      assertThat(tree.next().orElseThrow().path()).isEqualTo("f");
      byte[] content = new byte[1 << 20];
      int at = 0;
      for (int n = tree.read(content, 0, content.length);
          n >= 0;
          n = tree.read(content, at, content.length - at)) {
        at += n;
      }
      assertThat(tree.next()).isEmpty();
      return new String(content, 0, at, UTF_8);
    }
  }

  @Test
  void aTarComesBackAndIsNotTakenWhenItIsCutShort() throws Exception {
    String text = "the same again ".repeat(10_000);
    byte[] tar = new TarBuilder().file("f", text).build();
    ByteArrayOutputStream packed = new ByteArrayOutputStream();
    try (OutputStream encoder = ArchiveSource.encoder(ArchiveFormat.TAR_ZSTD, packed)) {
      encoder.write(tar);
    }
    byte[] archive = packed.toByteArray();
    assertThat(archive.length).isLessThan(tar.length / 20);
    assertThat(content(archive)).isEqualTo(text);
    for (int length : new int[] {5, archive.length / 2, archive.length - 1}) {
      assertThatThrownBy(() -> content(Arrays.copyOf(archive, length)))
          .isInstanceOfSatisfying(
              SandboxException.class,
              e -> assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARCHIVE));
    }
  }
}
