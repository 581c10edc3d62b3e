package io.sandboxspi.core.output;

import java.nio.ByteBuffer;

/**
 * Captured output of one stream of a command, up to a cap. Beyond the cap the first half and the
 * last half are kept, cut between characters of UTF-8, and the capture is flagged (S-EXEC-05). The
 * bytes carry no marker; only {@link #text()} shows the gap.
 *
 * <p>Memory grows with the content. Not thread-safe: callers hold their own lock.
 */
public final class HeadCapBuffer {
  /** Cap unless given: 16 MiB. */
  public static final int DEFAULT_CAP = 16 * 1024 * 1024;

  private final HeadTailBuffer kept;
  private long total;

  /** Creates a capture of at most {@link #DEFAULT_CAP} bytes. */
  public HeadCapBuffer() {
    this(DEFAULT_CAP);
  }

  /**
   * Creates a capture.
   *
   * @param cap most bytes to keep, at least 1
   */
  public HeadCapBuffer(int cap) {
    kept = new HeadTailBuffer(cap);
  }

  /** Appends {@code length} bytes of {@code bytes} from {@code offset}; they are copied. */
  public void append(byte[] bytes, int offset, int length) {
    append(ByteBuffer.wrap(bytes, offset, length));
  }

  /** Appends and consumes the remaining bytes of {@code bytes}; they are copied. */
  public void append(ByteBuffer bytes) {
    total += bytes.remaining();
    kept.append(bytes);
  }

  /** Number of bytes appended. */
  public long totalBytes() {
    return total;
  }

  /** Number of bytes that were appended and are not kept. */
  public long droppedBytes() {
    return kept.totalDropped();
  }

  /** Whether bytes are missing. */
  public boolean truncated() {
    return kept.totalDropped() > 0;
  }

  /** The kept bytes, {@code totalBytes() - droppedBytes()} of them, in a new array. */
  public byte[] toByteArray() {
    return kept.toByteArray();
  }

  /** The kept bytes as UTF-8 with replacement, with a marker where bytes are missing (S-OUT-03). */
  public String text() {
    Utf8Stream decoder = new Utf8Stream();
    String text = kept.snapshot().text(decoder);
    return text.concat(decoder.finish());
  }
}
