package io.sandboxspi.core.output;

import java.nio.charset.StandardCharsets;
import java.util.SplittableRandom;

/** Inputs for the tests of this package. */
final class Bytes {
  // Leads, continuation bytes at every range border, and bytes that never occur in UTF-8.
  private static final int[] ALPHABET = {
    0x41, 0x80, 0x8F, 0x90, 0x9F, 0xA0, 0xBF, 0xC0, 0xC2, 0xDF, 0xE0, 0xE1, 0xED, 0xEF, 0xF0, 0xF1,
    0xF4, 0xF5, 0xFF
  };

  private static final String[] CHARACTERS = {"a", "\n", "é", "€", "\uD7FF", "😀", "\uDBFF\uDFFF"};

  private Bytes() {}

  static int alphabetSize() {
    return ALPHABET.length;
  }

  /** The word with this number among all words of {@code length} letters of the alphabet. */
  static byte[] word(long number, int length) {
    byte[] word = new byte[length];
    long rest = number;
    for (int i = 0; i < length; i++) {
      word[i] = (byte) ALPHABET[(int) (rest % ALPHABET.length)];
      rest /= ALPHABET.length;
    }
    return word;
  }

  /** Any bytes, with many near misses of valid characters. */
  static byte[] noise(SplittableRandom random, int length) {
    byte[] bytes = new byte[length];
    for (int i = 0; i < length; i++) {
      bytes[i] = (byte) ALPHABET[random.nextInt(ALPHABET.length)];
    }
    return bytes;
  }

  /** Valid text of one- to four-byte characters. */
  static String text(SplittableRandom random, int characters) {
    StringBuilder text = new StringBuilder();
    for (int i = 0; i < characters; i++) {
      text.append(CHARACTERS[random.nextInt(CHARACTERS.length)]);
    }
    return text.toString();
  }

  static byte[] utf8(String text) {
    return text.getBytes(StandardCharsets.UTF_8);
  }

  static byte[] of(int... values) {
    byte[] bytes = new byte[values.length];
    for (int i = 0; i < values.length; i++) {
      bytes[i] = (byte) values[i];
    }
    return bytes;
  }

  /** A new seed, printed so that a failure can be repeated. */
  static SplittableRandom random(String test) {
    long seed = new SplittableRandom().nextLong();
    System.out.println(test + ": seed " + seed + "L");
    return new SplittableRandom(seed);
  }
}
