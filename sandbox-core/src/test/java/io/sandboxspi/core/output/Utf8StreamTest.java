package io.sandboxspi.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-OUT-02")
class Utf8StreamTest {
  private static final HexFormat HEX = HexFormat.of();

  @Test
  void everySplitOfEveryShortInputEqualsOneShotDecoding() {
    for (int length = 1; length <= 4; length++) {
      long words = (long) Math.pow(Bytes.alphabetSize(), length);
      for (long number = 0; number < words; number++) {
        byte[] word = Bytes.word(number, length);
        for (int cuts = 0; cuts < 1 << (length - 1); cuts++) {
          check(word, cuts);
        }
      }
    }
  }

  @Test
  void randomSplitsOfRandomInputEqualOneShotDecoding() {
    SplittableRandom random = Bytes.random("Utf8StreamTest");
    for (int round = 0; round < 20_000; round++) {
      byte[] input =
          random.nextBoolean()
              ? Bytes.noise(random, random.nextInt(1, 30))
              : Bytes.utf8(Bytes.text(random, random.nextInt(1, 12)));
      check(input, random.nextInt());
    }
  }

  @Test
  void holdsBackOnlyWhatCanBecomeValid() {
    for (int length = 1; length <= 4; length++) {
      long words = (long) Math.pow(Bytes.alphabetSize(), length);
      for (long number = 0; number < words; number++) {
        byte[] word = Bytes.word(number, length);
        Utf8Stream stream = new Utf8Stream();
        stream.decode(word);
        byte[] held = Arrays.copyOfRange(word, length - stream.heldCount(), length);
        assertThat(stream.heldCount()).isLessThanOrEqualTo(3);
        if (held.length > 0 && !canBecomeValid(held)) {
          throw new AssertionError("held " + HEX.formatHex(held) + " of " + HEX.formatHex(word));
        }
      }
    }
  }

  @Test
  void holdsBackEachInnerCutOfAValidCharacter() {
    for (String character : new String[] {"é", "€", "😀"}) {
      byte[] bytes = Bytes.utf8(character);
      for (int cut = 1; cut < bytes.length; cut++) {
        Utf8Stream stream = new Utf8Stream();
        assertThat(stream.decode(bytes, 0, cut)).isEmpty();
        assertThat(stream.decode(bytes, cut, bytes.length - cut)).isEqualTo(character);
      }
    }
  }

  @Test
  void invalidStartsAreReplacedAtOnce() {
    int[][] starts = {
      {0xE0, 0x80}, {0xED, 0xA0}, {0xF0, 0x80}, {0xF4, 0x90}, {0xC0}, {0xC1}, {0xF5}, {0x80}
    };
    for (int[] start : starts) {
      Utf8Stream stream = new Utf8Stream();
      assertThat(stream.decode(Bytes.of(start))).startsWith("\uFFFD");
      assertThat(stream.heldCount()).isZero();
    }
  }

  @Test
  void finishGivesOneMarkAndStartsAfresh() {
    Utf8Stream stream = new Utf8Stream();
    assertThat(stream.decode(Bytes.of('a', 0xF0, 0x9F, 0x98))).isEqualTo("a");
    assertThat(stream.finish()).isEqualTo("\uFFFD");
    assertThat(stream.finish()).isEmpty();
    assertThat(stream.decode(Bytes.of(0xED, 0xA0))).isEqualTo("\uFFFD");
    assertThat(stream.finish()).isEmpty();
    assertThat(stream.decode(Bytes.of(0x80))).isEqualTo("\uFFFD");
  }

  /** Decodes pieces that end behind byte i wherever bit i of {@code cuts} is set. */
  private static void check(byte[] input, int cuts) {
    Utf8Stream stream = new Utf8Stream();
    StringBuilder text = new StringBuilder();
    int start = 0;
    for (int i = 0; i < input.length; i++) {
      if (i == input.length - 1 || (cuts >> (i % 31) & 1) == 1) {
        text.append(stream.decode(input, start, i + 1 - start));
        start = i + 1;
      }
    }
    text.append(stream.finish());
    if (!new String(input, StandardCharsets.UTF_8).contentEquals(text)) {
      throw new AssertionError(HEX.formatHex(input) + " cut " + Integer.toBinaryString(cuts));
    }
  }

  /** By trial: some continuation makes one valid character of the whole. */
  private static boolean canBecomeValid(byte[] start) {
    for (int more = 1; more <= 4 - start.length; more++) {
      for (int last = 0x80; last <= 0xBF; last++) {
        byte[] whole = Arrays.copyOf(start, start.length + more);
        Arrays.fill(whole, start.length, whole.length, (byte) last);
        String text = new String(whole, StandardCharsets.UTF_8);
        if (!text.contains("\uFFFD") && text.codePointCount(0, text.length()) == 1) {
          return true;
        }
      }
    }
    return false;
  }
}
