package io.sandboxspi.core.files;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.core.posix.World;
import io.sandboxspi.spi.Deadline;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A file that is larger than the heap, through a shell; {@code -Dsandbox.large=1024} for 1 GiB. */
@Tag("S-FILE-09")
class LargeFileTest {
  @Test
  void aFileLargerThanTheHeapGoesThroughTheShell(@TempDir Path root) throws Exception {
    Process process =
        new ProcessBuilder(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-Xmx16m",
                "-XX:+UseSerialGC",
                "-cp",
                System.getProperty("java.class.path"),
                RoundTrip.class.getName(),
                root.toRealPath().toString(),
                System.getProperty("sandbox.large", "48"))
            .inheritIO()
            .start();
    assertThat(process.waitFor(120, TimeUnit.SECONDS)).isTrue();
    assertThat(process.exitValue()).isZero();
  }

  /** In a JVM of its own. */
  static final class RoundTrip {
    private RoundTrip() {}

    public static void main(String[] arguments) throws Exception {
      long size = Long.parseLong(arguments[1]) << 20;
      Deadline deadline = Deadline.after(Duration.ofSeconds(100));
      ShellFiles files = ShellFiles.over(new ProcessAccess(World.DASH, 0, 1_000), arguments[0]);
      files.write("large", new Noise(size), deadline);
      try (InputStream back = files.open("large", deadline);
          InputStream expected = new Noise(size)) {
        byte[] some = new byte[64 * 1024];
        for (int n = back.read(some); n >= 0; n = back.read(some)) {
          if (!java.util.Arrays.equals(some, 0, n, expected.readNBytes(n), 0, n)) {
            throw new IOException("other bytes came back");
          }
        }
        if (expected.read() >= 0) {
          throw new IOException("a part is missing");
        }
      }
    }
  }

  /** Bytes without a pattern, always the same. */
  private static final class Noise extends InputStream {
    private long left;
    private long state = 88_172_645_463_325_252L;

    Noise(long size) {
      this.left = size;
    }

    @Override
    public int read() {
      if (left == 0) {
        return -1;
      }
      left--;
      state ^= state << 13;
      state ^= state >>> 7;
      state ^= state << 17;
      return (int) state & 0xff;
    }
  }
}
