package io.sandboxspi.core.output;

import java.util.OptionalInt;

/**
 * Shortens text to a token budget, one token being estimated as four bytes of UTF-8 (S-OUT-04).
 *
 * <p>Text within the budget is returned as it is (S-OUT-04). Otherwise the result is a line with
 * the total number of lines and a blank line, the start of the text, a marker that says how many
 * tokens are missing, and the end of the text (S-OUT-04). All of it together fits the budget: the
 * leading line goes first, and if the marker alone is too long it is cut (S-OUT-04). No cut splits
 * a character (S-OUT-04).
 *
 * <p>Stateless.
 */
public final class TokenTruncation {
  private static final int BYTES_PER_TOKEN = 4;

  private TokenTruncation() {}

  /**
   * Applies a budget. What is flushed at the end of a stream is joined to the text beforehand, so
   * that the budget holds for both at once (S-OUT-04). Without a budget use {@link
   * Truncated#whole}.
   *
   * @param text the whole text
   * @param maxTokens the budget; a negative one counts as 0, for which the result is empty
   */
  public static Truncated truncate(String text, int maxTokens) {
    long budget = (long) Math.max(0, maxTokens) * BYTES_PER_TOKEN;
    if (text.length() * 3L <= budget) {
      return Truncated.whole(text);
    }
    long bytes = utf8Length(text);
    if (bytes <= budget) {
      return Truncated.whole(text);
    }
    return new Truncated(shorten(text, bytes, budget), OptionalInt.of((int) tokens(bytes)));
  }

  /** Estimated number of tokens of {@code bytes} bytes of text, rounded up. */
  static long tokens(long bytes) {
    return (bytes + BYTES_PER_TOKEN - 1) / BYTES_PER_TOKEN;
  }

  private static String shorten(String text, long bytes, long budget) {
    // The marker for the whole text is the longest one that can be needed.
    String longestMarker = marker(bytes);
    long markerLength = utf8Length(longestMarker);
    if (markerLength > budget) {
      return longestMarker.substring(0, prefixEnd(longestMarker, budget));
    }
    String lead = leadingLine(countLines(text));
    if (lead.length() + markerLength > budget) {
      lead = "";
    }
    long content = budget - lead.length() - markerLength;
    long left = content / 2;
    int headEnd = prefixEnd(text, left);
    int tailStart = suffixStart(text, content - left);
    String head = text.substring(0, headEnd);
    String tail = text.substring(tailStart);
    return lead + head + marker(bytes - utf8Length(head) - utf8Length(tail)) + tail;
  }

  /** ASCII only, so that its length is its number of bytes. */
  private static String leadingLine(long lines) {
    return "[" + lines + (lines == 1 ? " line" : " lines") + " of output in all]\n\n";
  }

  private static String marker(long droppedBytes) {
    long tokens = tokens(droppedBytes);
    return "…" + tokens + (tokens == 1 ? " token" : " tokens") + " left out…";
  }

  /** Index behind the last whole character that fits into {@code budget} bytes from the start. */
  private static int prefixEnd(String text, long budget) {
    long used = 0;
    int index = 0;
    while (index < text.length()) {
      int width = isPairAt(text, index) ? 2 : 1;
      used += width == 2 ? 4 : utf8Length(text.charAt(index));
      if (used > budget) {
        return index;
      }
      index += width;
    }
    return index;
  }

  /** Index of the first whole character that fits into {@code budget} bytes before the end. */
  private static int suffixStart(String text, long budget) {
    long used = 0;
    int index = text.length();
    while (index > 0) {
      int width = index > 1 && isPairAt(text, index - 2) ? 2 : 1;
      used += width == 2 ? 4 : utf8Length(text.charAt(index - 1));
      if (used > budget) {
        return index;
      }
      index -= width;
    }
    return index;
  }

  private static boolean isPairAt(String text, int index) {
    return Character.isHighSurrogate(text.charAt(index))
        && index + 1 < text.length()
        && Character.isLowSurrogate(text.charAt(index + 1));
  }

  /** Length of {@code text.getBytes(UTF_8)}. */
  static long utf8Length(String text) {
    long length = text.length();
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c >= 0x80) {
        // Both halves of a pair are counted already; the character has two bytes more.
        boolean pair = isPairAt(text, i);
        length += pair ? 2 : utf8Length(c) - 1;
        i += pair ? 1 : 0;
      }
    }
    return length;
  }

  private static int utf8Length(char c) {
    if (c < 0x80) {
      return 1;
    }
    if (c < 0x800) {
      return 2;
    }
    // A lone surrogate is encoded as one question mark.
    return Character.isSurrogate(c) ? 1 : 3;
  }

  /** Number of lines as {@link String#lines()} counts them. */
  static long countLines(String text) {
    long lines = 0;
    char previous = '\n';
    for (int i = 0; i < text.length(); i++) {
      char c = text.charAt(i);
      if (c == '\r' || (c == '\n' && previous != '\r')) {
        lines++;
      }
      previous = c;
    }
    boolean open = previous != '\n' && previous != '\r';
    return open ? lines + 1 : lines;
  }
}
