package io.sandboxspi.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

@Tag("S-EXEC-05")
class HeadCapBufferTest {
  @Test
  void withinTheCapNothingIsFlagged() {
    HeadCapBuffer capture = new HeadCapBuffer(10);
    capture.append(Bytes.utf8("0123456789"), 0, 10);
    assertThat(capture.truncated()).isFalse();
    assertThat(capture.totalBytes()).isEqualTo(10);
    assertThat(capture.toByteArray()).isEqualTo(Bytes.utf8("0123456789"));
    assertThat(capture.text()).isEqualTo("0123456789");
  }

  @Test
  void beyondTheCapHeadAndTailStayAndBytesCarryNoMarker() {
    HeadCapBuffer capture = new HeadCapBuffer(10);
    capture.append(Bytes.utf8("0123456789a"), 0, 11);
    assertThat(capture.truncated()).isTrue();
    assertThat(capture.totalBytes()).isEqualTo(11);
    assertThat(capture.droppedBytes()).isEqualTo(1);
    assertThat(capture.toByteArray()).isEqualTo(Bytes.utf8("012346789a"));
    assertThat(capture.text()).isEqualTo("01234\n[… 1 byte of output dropped …]\n6789a");
    assertThat(capture.toByteArray()).hasSize(10);
  }

  @Test
  void bytesAndCountsAgreeWhenTheCutMovesToACharacter() {
    HeadCapBuffer capture = new HeadCapBuffer(20);
    byte[] euros = Bytes.utf8("€".repeat(20));
    capture.append(euros, 0, euros.length);
    assertThat(capture.toByteArray()).isEqualTo(Bytes.utf8("€".repeat(6)));
    assertThat(capture.droppedBytes()).isEqualTo(42);
    assertThat(capture.text()).doesNotContain("\uFFFD").contains("42 bytes");
  }

  @Test
  void textEndsWithAMarkForAnUnfinishedCharacter() {
    HeadCapBuffer capture = new HeadCapBuffer(10);
    capture.append(Bytes.of('a', 0xE2, 0x82), 0, 3);
    assertThat(capture.text()).isEqualTo("a\uFFFD");
    assertThat(capture.toByteArray()).hasSize(3);
  }

  @Test
  void aCaptureFarBeyondTheCapHoldsOnlyTheCap() {
    HeadCapBuffer capture = new HeadCapBuffer(1_000_000);
    byte[] piece = new byte[77_777];
    for (int i = 0; i < 100; i++) {
      Arrays.fill(piece, (byte) ('A' + i % 26));
      capture.append(piece, 0, piece.length);
    }
    byte[] kept = capture.toByteArray();
    assertThat(kept).hasSize(1_000_000).startsWith((byte) 'A').endsWith((byte) ('A' + 99 % 26));
    assertThat(capture.totalBytes()).isEqualTo(7_777_700);
    assertThat(capture.droppedBytes()).isEqualTo(6_777_700);
  }
}
