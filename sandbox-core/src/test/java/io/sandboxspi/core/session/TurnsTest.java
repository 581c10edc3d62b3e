package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.core.pty.Within;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class TurnsTest {
  private final Turns turns = new Turns();

  @Test
  @Tag("S-PTY-07")
  void whoGivesUpInTheMiddleOfTheQueueKeepsNobodyWaiting() {
    CompletableFuture<Boolean> first = turns.take();
    CompletableFuture<Boolean> second = turns.take();
    CompletableFuture<Boolean> third = turns.take();
    assertThat(first).isDone();
    turns.leave(second);
    assertThat(third).isNotDone();
    turns.leave(first);
    assertThat(third).isDone();
    turns.leave(third);
    assertThat(turns.take()).isDone();
  }

  @Test
  @Tag("S-PTY-07")
  void underLoadOneIsServedAtATimeAndNobodyIsForgotten() throws Exception {
    long seed = System.nanoTime();
    AtomicInteger inside = new AtomicInteger();
    AtomicInteger served = new AtomicInteger();
    var callers =
        IntStream.range(0, 8)
            .mapToObj(t -> Within.start(() -> calls(new Random(seed + t), inside, served)))
            .toList();
    for (var caller : callers) {
      assertThat(Within.get(caller.result())).as("seed " + seed).isTrue();
    }
    assertThat(served.get()).isPositive();
    assertThat(turns.take()).isDone();
  }

  private boolean calls(Random random, AtomicInteger inside, AtomicInteger served)
      throws Exception {
    for (int i = 0; i < 2_000; i++) {
      CompletableFuture<Boolean> turn = turns.take();
      try {
        if (random.nextInt(4) == 0) {
          turn.get(random.nextInt(50), TimeUnit.MICROSECONDS);
        } else {
          Within.get(turn);
        }
        served.incrementAndGet();
        boolean alone = inside.incrementAndGet() == 1;
        inside.decrementAndGet();
        if (!alone) {
          return false;
        }
      } catch (TimeoutException gaveUp) {
        continue;
      } finally {
        turns.leave(turn);
      }
    }
    return true;
  }
}
