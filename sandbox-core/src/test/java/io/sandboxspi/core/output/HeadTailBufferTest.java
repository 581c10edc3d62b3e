package io.sandboxspi.core.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-OUT-03")
class HeadTailBufferTest {
  @Test
  void keepsEverythingUpToTheCapacity() {
    HeadTailBuffer buffer = new HeadTailBuffer(8);
    append(buffer, "abc");
    append(buffer, "defgh");
    assertThat(buffer.size()).isEqualTo(8);
    Drained drained = buffer.drain();
    assertThat(text(drained.head())).isEqualTo("abcdefgh");
    assertThat(drained.dropped()).isZero();
    assertThat(drained.tail()).isEmpty();
  }

  @Test
  void keepsTheFirstAndTheLastHalf() {
    HeadTailBuffer buffer = new HeadTailBuffer(8);
    append(buffer, "abcdefghijkl");
    append(buffer, "mn");
    Drained drained = buffer.drain();
    assertThat(text(drained.head())).isEqualTo("abcd");
    assertThat(drained.dropped()).isEqualTo(6);
    assertThat(text(drained.tail())).isEqualTo("klmn");
    assertThat(buffer.totalDropped()).isEqualTo(6);
  }

  @Test
  void deliversOnceAndThenStartsAfresh() {
    HeadTailBuffer buffer = new HeadTailBuffer(8);
    append(buffer, "abcdefghijkl");
    assertThat(buffer.drain().isEmpty()).isFalse();
    assertThat(buffer.isEmpty()).isTrue();
    assertThat(buffer.drain().isEmpty()).isTrue();
    append(buffer, "12345678");
    assertThat(text(buffer.drain().head())).isEqualTo("12345678");
    assertThat(buffer.totalDropped()).isEqualTo(4);
  }

  @Test
  void randomAppendsAndDrainsAccountForEveryByte() {
    SplittableRandom random = Bytes.random("HeadTailBufferTest");
    for (int round = 0; round < 3_000; round++) {
      int capacity = random.nextInt(1, random.nextBoolean() ? 12 : 3_000);
      HeadTailBuffer buffer = new HeadTailBuffer(capacity);
      long dropped = 0;
      for (int drains = 0; drains < 3; drains++) {
        ByteArrayOutputStream since = new ByteArrayOutputStream();
        for (int pieces = random.nextInt(5); pieces > 0; pieces--) {
          byte[] piece = Bytes.noise(random, random.nextInt(capacity + 2));
          since.writeBytes(piece);
          ByteBuffer bytes = ByteBuffer.wrap(piece);
          buffer.append(bytes);
          assertThat(bytes.hasRemaining()).isFalse();
        }
        dropped += checkAgainstModel(buffer, since.toByteArray(), capacity);
        assertThat(buffer.totalDropped()).isEqualTo(dropped);
      }
    }
  }

  @Test
  void theGapNeverSplitsAValidCharacter() {
    SplittableRandom random = Bytes.random("HeadTailBufferTest gap");
    for (int round = 0; round < 5_000; round++) {
      String text = Bytes.text(random, random.nextInt(1, 60));
      byte[] bytes = Bytes.utf8(text);
      HeadTailBuffer buffer = new HeadTailBuffer(random.nextInt(2, 100));
      for (int start = 0; start < bytes.length; ) {
        int length = Math.min(random.nextInt(1, 40), bytes.length - start);
        buffer.append(bytes, start, length);
        start += length;
      }
      Drained drained = buffer.drain();
      String head = text(drained.head());
      String tail = text(drained.tail());
      assertThat(text).startsWith(head).endsWith(tail);
    }
  }

  @Test
  void aCharacterAcrossTwoDrainsOfWhichTheRestIsDroppedGivesOneMark() {
    byte[] smile = Bytes.utf8("😀");
    HeadTailBuffer buffer = new HeadTailBuffer(2);
    Utf8Stream decoder = new Utf8Stream();
    buffer.append(smile, 0, 1);
    String text = buffer.drain().text(decoder);
    buffer.append(smile, 1, 3);
    append(buffer, "x");
    text += buffer.drain().text(decoder);
    assertThat(text).isEqualTo("\uFFFD\n[… 2 bytes of output dropped …]\nx");
  }

  @Test
  void textShowsTheGap() {
    HeadTailBuffer buffer = new HeadTailBuffer(8);
    append(buffer, "abcdefghijklmn");
    assertThat(buffer.drain().text(new Utf8Stream()))
        .isEqualTo("abcd\n[… 6 bytes of output dropped …]\nklmn");
  }

  @Test
  void idleBufferIsSmall() {
    HeadTailBuffer buffer = new HeadTailBuffer();
    assertThat(buffer.allocated()).isZero();
    append(buffer, "$ ");
    assertThat(buffer.allocated()).isLessThanOrEqualTo(512);
    buffer.append(new byte[3_000_000], 0, 3_000_000);
    assertThat(buffer.allocated()).isLessThan(HeadTailBuffer.DEFAULT_CAPACITY + 160 * 1024);
    buffer.drain();
    assertThat(buffer.allocated()).isLessThanOrEqualTo(512);
  }

  @Test
  void refusesACapacityBelowOne() {
    assertThatThrownBy(() -> new HeadTailBuffer(0)).isInstanceOf(IllegalArgumentException.class);
  }

  /** Checks what is drained against the bytes since the last drain; returns how many are lost. */
  private static long checkAgainstModel(HeadTailBuffer buffer, byte[] all, int capacity) {
    assertThat(buffer.size()).isLessThanOrEqualTo(capacity);
    Drained drained = buffer.drain();
    byte[] head = drained.head();
    byte[] tail = drained.tail();
    assertThat(head.length + drained.dropped() + tail.length).isEqualTo(all.length);
    assertThat(head).isEqualTo(Arrays.copyOf(all, head.length));
    assertThat(tail).isEqualTo(Arrays.copyOfRange(all, all.length - tail.length, all.length));
    if (all.length <= capacity) {
      assertThat(drained.dropped()).isZero();
    } else {
      assertThat(head.length).isBetween(capacity / 2 - 3, capacity / 2);
      assertThat(tail.length).isBetween(capacity - capacity / 2 - 3, capacity - capacity / 2);
    }
    return drained.dropped();
  }

  private static void append(HeadTailBuffer buffer, String text) {
    byte[] bytes = Bytes.utf8(text);
    buffer.append(bytes, 0, bytes.length);
  }

  private static String text(byte[] bytes) {
    return new String(bytes, StandardCharsets.UTF_8);
  }
}
