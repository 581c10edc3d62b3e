package io.sandboxspi.core.output;

/** What UTF-8 says about single bytes and about the start of a character. */
final class Utf8 {
  static final String REPLACEMENT = "\uFFFD";

  private Utf8() {}

  static boolean isContinuation(byte b) {
    return (b & 0xC0) == 0x80;
  }

  /** Length in bytes of the character that {@code lead} starts; 1 for a byte that starts none. */
  static int length(byte lead) {
    int b = lead & 0xFF;
    if (b >= 0xC2 && b <= 0xDF) {
      return 2;
    }
    if (b >= 0xE0 && b <= 0xEF) {
      return 3;
    }
    return b >= 0xF0 && b <= 0xF4 ? 4 : 1;
  }

  /** Whether {@code next} may stand directly behind {@code lead}. */
  static boolean isSecond(byte lead, byte next) {
    int b = next & 0xFF;
    return switch (lead & 0xFF) {
      case 0xE0 -> b >= 0xA0 && b <= 0xBF;
      case 0xED -> b >= 0x80 && b <= 0x9F;
      case 0xF0 -> b >= 0x90 && b <= 0xBF;
      case 0xF4 -> b >= 0x80 && b <= 0x8F;
      default -> isContinuation(next);
    };
  }

  /** Whether the two bytes start the three-byte form of a surrogate, which is never valid. */
  static boolean isSurrogateStart(byte lead, byte next) {
    return lead == (byte) 0xED && (next & 0xE0) == 0xA0;
  }

  /**
   * Number of bytes, 0 to 3, at the end of {@code bytes[start, end)} that begin a character which
   * further bytes can still make valid.
   */
  static int incompleteSuffix(byte[] bytes, int start, int end) {
    int back = 1;
    while (back <= 3 && end - back >= start) {
      byte b = bytes[end - back];
      if (!isContinuation(b)) {
        boolean open = back < length(b) && (back == 1 || isSecond(b, bytes[end - back + 1]));
        return open ? back : 0;
      }
      back++;
    }
    return 0;
  }
}
