package io.sandboxspi.core.output;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;

/**
 * Incremental UTF-8 decoder with replacement, kept for the life of one stream.
 *
 * <p>However the input is cut into pieces, the concatenation of the results, with {@link #finish()}
 * last, equals {@code new String(input, UTF_8)} (S-OUT-02). Only a prefix of at most three bytes
 * that can still become a valid character is held back (S-OUT-02).
 *
 * <p>Not thread-safe; never blocks.
 */
public final class Utf8Stream {
  // CharsetDecoder would not do: it holds back ED A0..BF, which can no longer become valid.

  private final byte[] held = new byte[4];
  private int heldCount;

  // A one-shot decoder replaces the three bytes of a surrogate by one mark. The mark is given out
  // when the second byte is seen; a third byte that belongs to it is then skipped.
  private boolean skipContinuation;

  /** Creates a decoder that has seen nothing. */
  public Utf8Stream() {}

  /**
   * Decodes the next piece.
   *
   * @param bytes the piece; only read
   * @return the text that is now certain, empty if none
   */
  public String decode(byte[] bytes) {
    return decode(bytes, 0, bytes.length);
  }

  /**
   * Decodes the next piece.
   *
   * @param bytes where the piece is; only read
   * @param offset index of its first byte
   * @param length number of its bytes
   * @return the text that is now certain, empty if none
   */
  public String decode(byte[] bytes, int offset, int length) {
    int end = offset + length;
    int start = offset;
    String opening = "";
    if (heldCount > 0) {
      start = extendHeld(bytes, start, end);
      if (heldCount == Utf8.length(held[0])) {
        opening = new String(held, 0, heldCount, StandardCharsets.UTF_8);
      } else if (start == end) {
        return "";
      } else {
        opening = Utf8.REPLACEMENT;
        skipContinuation = Utf8.isSurrogateStart(held[0], bytes[start]);
        start += skipContinuation ? 1 : 0;
      }
      heldCount = 0;
    }
    if (start == end) {
      return opening;
    }
    if (skipContinuation) {
      skipContinuation = false;
      start += Utf8.isContinuation(bytes[start]) ? 1 : 0;
    }
    String body = decodeBody(bytes, start, end);
    return opening.isEmpty() ? body : opening.concat(body);
  }

  /**
   * Ends the stream: gives one replacement mark if a prefix is held back (S-OUT-02). The decoder
   * then starts afresh.
   *
   * @return the mark, or empty
   */
  public String finish() {
    String rest = heldCount > 0 ? Utf8.REPLACEMENT : "";
    heldCount = 0;
    skipContinuation = false;
    return rest;
  }

  /** Gives back the bytes held back, undecoded; the decoder then starts afresh. */
  public byte[] takeHeld() {
    byte[] rest = Arrays.copyOf(held, heldCount);
    heldCount = 0;
    return rest;
  }

  /** Number of bytes held back, 0 to 3. */
  int heldCount() {
    return heldCount;
  }

  private int extendHeld(byte[] bytes, int start, int end) {
    int position = start;
    while (position < end
        && heldCount < Utf8.length(held[0])
        && (heldCount == 1
            ? Utf8.isSecond(held[0], bytes[position])
            : Utf8.isContinuation(bytes[position]))) {
      held[heldCount++] = bytes[position++];
    }
    return position;
  }

  private String decodeBody(byte[] bytes, int start, int end) {
    int hold = Utf8.incompleteSuffix(bytes, start, end);
    System.arraycopy(bytes, end - hold, held, 0, hold);
    heldCount = hold;
    skipContinuation = end - start >= 2 && Utf8.isSurrogateStart(bytes[end - 2], bytes[end - 1]);
    return new String(bytes, start, end - start - hold, StandardCharsets.UTF_8);
  }
}
