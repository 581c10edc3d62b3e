package io.sandboxspi;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Bytes that a command wrote to one stream, bounded by the capture limit (spec S-EXEC-05).
 * Immutable.
 */
public final class CapturedOutput {
  private static final CapturedOutput EMPTY = new CapturedOutput(new byte[0], 0);

  private final byte[] bytes;
  private final long totalBytes;

  private CapturedOutput(byte[] bytes, long totalBytes) {
    this.bytes = bytes;
    this.totalBytes = totalBytes;
  }

  /** No output at all. */
  public static CapturedOutput empty() {
    return EMPTY;
  }

  /**
   * Wraps captured bytes.
   *
   * @param bytes the bytes kept; copied
   * @param totalBytes how many bytes the command wrote; at least the number kept
   */
  public static CapturedOutput of(byte[] bytes, long totalBytes) {
    Checks.range("totalBytes", totalBytes, bytes.length, Long.MAX_VALUE);
    return new CapturedOutput(bytes.clone(), totalBytes);
  }

  /** A copy of the bytes kept. */
  public byte[] bytes() {
    return bytes.clone();
  }

  /** The bytes kept as UTF-8; malformed parts become replacement characters. */
  public String text() {
    return new String(bytes, StandardCharsets.UTF_8);
  }

  /** How many bytes the command wrote. */
  public long totalBytes() {
    return totalBytes;
  }

  /** Whether bytes were cut away. */
  public boolean truncated() {
    return totalBytes > bytes.length;
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof CapturedOutput that
        && totalBytes == that.totalBytes
        && Arrays.equals(bytes, that.bytes);
  }

  @Override
  public int hashCode() {
    return 31 * Arrays.hashCode(bytes) + Long.hashCode(totalBytes);
  }

  /** Sizes only: output may hold secrets. */
  @Override
  public String toString() {
    return "CapturedOutput[kept=" + bytes.length + ", total=" + totalBytes + "]";
  }
}
