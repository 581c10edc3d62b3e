package io.sandboxspi.bench.micro;

import io.sandboxspi.core.output.Utf8Stream;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.State;

/** Decoding 64 KiB of output in one piece. */
@State(Scope.Thread)
public class Decoder {
  private static final int SIZE = 65_536;

  private final byte[] ascii = piece("total 42 drwxr-xr-x\r\n");
  private final byte[] mixed = piece("größer → 文字 🙂 plain text\r\n");
  private final Utf8Stream stream = new Utf8Stream();

  private static byte[] piece(String line) {
    byte[] one = line.getBytes(StandardCharsets.UTF_8);
    byte[] all = new byte[SIZE];
    for (int at = 0; at < SIZE; at += one.length) {
      System.arraycopy(one, 0, all, at, Math.min(one.length, SIZE - at));
    }
    return Arrays.copyOf(all, SIZE);
  }

  /** Only ASCII. */
  @Benchmark
  public String ascii() {
    return stream.decode(ascii);
  }

  /** Characters of one to four bytes, cut at the end. */
  @Benchmark
  public String mixed() {
    return stream.decode(mixed);
  }
}
