package io.sandboxspi.remote.cloudflare;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

/** Where output goes on after a connection broke. */
class ReplayTest {
  private static byte[] random(int size) {
    byte[] bytes = new byte[size];
    new Random(42).nextBytes(bytes);
    return bytes;
  }

  private static Replay having(byte[] all, int received) {
    Replay replay = new Replay();
    int at = 0;
    while (at < received) {
      int size = Math.min(received - at, 10_007);
      replay.count(ByteBuffer.wrap(all, at, size));
      at += size;
    }
    return replay;
  }

  @Test
  void whileNothingWasDroppedTheNumberIsThePlace() {
    byte[] same = new byte[1000];
    assertThat(having(same, 300).find(same)).isEqualTo(new Replay.Place(300, false));
    assertThat(having(same, 0).find(same)).isEqualTo(new Replay.Place(0, false));
  }

  @Test
  void laterTheEndOfWhatWasReceivedIsThePlace() {
    byte[] all = random(1_000_000);
    byte[] kept = Arrays.copyOfRange(all, all.length - Replay.RING, all.length);
    assertThat(having(all, 900_000).find(kept))
        .isEqualTo(new Replay.Place(Replay.RING - 100_000, false));
    assertThat(having(all, all.length).find(kept)).isEqualTo(new Replay.Place(Replay.RING, false));
  }

  @Test
  void whatIsNotThereAnyMoreIsAGap() {
    byte[] all = random(1_000_000);
    byte[] kept = Arrays.copyOfRange(all, all.length - Replay.RING, all.length);
    assertThat(having(all, 500_000).find(kept)).isEqualTo(new Replay.Place(0, true));
  }

  @Test
  void whatMayBeInManyPlacesIsAGapAndNothingComesTwice() {
    byte[] same = new byte[Replay.RING];
    assertThat(having(new byte[400_000], 400_000).find(same))
        .isEqualTo(new Replay.Place(Replay.RING, true));
  }
}
