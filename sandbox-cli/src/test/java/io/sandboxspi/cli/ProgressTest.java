package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.io.InputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.OptionalLong;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-CLI-09")
class ProgressTest {
  private static String shown(long size, OptionalLong total) throws Exception {
    ByteArrayOutputStream terminal = new ByteArrayOutputStream();
    InputStream zeros =
        new InputStream() {
          private long left = size;

          @Override
          public int read() {
            return left-- > 0 ? 0 : -1;
          }

          @Override
          public int read(byte[] target, int offset, int length) {
            int count = (int) Math.min(left, length);
            left -= count;
            return count == 0 ? -1 : count;
          }
        };
    try (Progress progress =
        Progress.on(new PrintStream(terminal, true, StandardCharsets.UTF_8), total)) {
      assertThat(progress.counting(zeros).transferTo(java.io.OutputStream.nullOutputStream()))
          .isEqualTo(size);
    }
    return terminal.toString(StandardCharsets.UTF_8);
  }

  @Test
  void aLongTransferIsShownToItsEnd() throws Exception {
    long size = Progress.LEAST + (1 << 20);
    assertThat(shown(size, OptionalLong.of(size)))
        .startsWith("\r[")
        .contains("100 %  11 of 11 MiB")
        .endsWith("\n");
    assertThat(shown(size, OptionalLong.empty())).contains("\r11 MiB");
  }

  @Test
  void aShortOneIsNot() throws Exception {
    assertThat(shown(Progress.LEAST, OptionalLong.of(Progress.LEAST))).isEmpty();
  }
}
