package io.sandboxspi.core.output;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.Arrays;
import java.util.SplittableRandom;
import org.junit.jupiter.api.Test;

class ChunkQueueTest {
  @Test
  void behavesLikeOneLongArray() {
    SplittableRandom random = Bytes.random("ChunkQueueTest");
    for (int round = 0; round < 300; round++) {
      ChunkQueue queue = new ChunkQueue(512);
      byte[] model = new byte[0];
      for (int step = 0; step < 60; step++) {
        int n = random.nextInt(random.nextInt(10) == 0 ? 100_000 : 600);
        switch (random.nextInt(5)) {
          case 0 -> {
            byte[] target = new byte[n + 2];
            int removed = queue.remove(target, 1, n);
            assertThat(removed).isEqualTo(Math.min(n, model.length));
            assertThat(Arrays.copyOfRange(target, 1, 1 + removed))
                .isEqualTo(Arrays.copyOf(model, removed));
            model = Arrays.copyOfRange(model, removed, model.length);
          }
          case 1 -> {
            int count = Math.min(n, model.length);
            queue.discard(count);
            model = Arrays.copyOfRange(model, count, model.length);
          }
          case 2 -> {
            int skip = random.nextInt(model.length + 1);
            byte[] part = new byte[random.nextInt(model.length - skip + 1)];
            queue.copy(skip, part, 0, part.length);
            assertThat(part).isEqualTo(Arrays.copyOfRange(model, skip, skip + part.length));
          }
          default -> {
            byte[] more = new byte[n];
            Arrays.fill(more, (byte) step);
            ByteArrayOutputStream joined = new ByteArrayOutputStream();
            joined.writeBytes(model);
            joined.writeBytes(more);
            model = joined.toByteArray();
            queue.add(ByteBuffer.wrap(more));
          }
        }
        assertThat(queue.size()).isEqualTo(model.length);
      }
      queue.clear();
      assertThat(queue.size()).isZero();
      assertThat(queue.allocated()).isLessThanOrEqualTo(512);
    }
  }

  @Test
  void steadyFlowReusesItsChunks() {
    ChunkQueue queue = new ChunkQueue(0);
    queue.add(ByteBuffer.wrap(new byte[300_000]));
    long allocated = queue.allocated();
    for (int i = 0; i < 10_000; i++) {
      queue.discard(4_000);
      queue.add(ByteBuffer.wrap(new byte[4_000]));
    }
    assertThat(queue.allocated()).isLessThanOrEqualTo(allocated + 3 * 65_536);
  }
}
