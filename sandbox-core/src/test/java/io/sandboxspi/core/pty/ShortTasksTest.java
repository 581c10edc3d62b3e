package io.sandboxspi.core.pty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.VirtualClock;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ShortTasksTest {
  private final VirtualClock clock = new VirtualClock();
  private final ShortTasks tasks = new ShortTasks(Lane.platform("test-short"), clock);
  private final CountDownLatch gate = new CountDownLatch(1);

  private CompletableFuture<Boolean> run(Runnable action) {
    return tasks.run(action);
  }

  private void waitForGate() {
    try {
      Within.await(gate);
    } catch (InterruptedException e) {
      throw new AssertionError(e);
    }
  }

  private CompletableFuture<Boolean> runStuck() throws Exception {
    CountDownLatch begun = new CountDownLatch(1);
    CompletableFuture<Boolean> stuck =
        run(
            () -> {
              begun.countDown();
              waitForGate();
            });
    Within.await(begun);
    return stuck;
  }

  @Test
  void oneThreadRunsThoseThatWait() throws Exception {
    CompletableFuture<Boolean> first = runStuck();
    Set<String> threads = ConcurrentHashMap.newKeySet();
    List<CompletableFuture<Boolean>> rest = new ArrayList<>();
    for (int i = 0; i < 50; i++) {
      rest.add(run(() -> threads.add(Thread.currentThread().getName())));
    }
    gate.countDown();
    Within.until(() -> first.isDone() && rest.stream().allMatch(CompletableFuture::isDone));
    assertThat(threads).hasSize(1);
  }

  @Test
  @Tag("S-CLEAN-02")
  void aStuckTaskKeepsNoOther() throws Exception {
    try {
      CompletableFuture<Boolean> stuck = runStuck();
      CompletableFuture<Boolean> second = run(() -> {});
      CompletableFuture<Boolean> third = run(() -> {});
      clock.advance(ShortTasks.PATIENCE);
      Within.until(() -> second.isDone() && third.isDone());
      // Nor those that come later.
      CompletableFuture<Boolean> later = run(() -> {});
      Within.until(later::isDone);
      assertThat(stuck).isNotDone();
    } finally {
      gate.countDown();
    }
  }

  @Test
  void aFailureIsCarriedAndStopsNobody() throws Exception {
    IllegalStateException broken = new IllegalStateException("broken");
    CompletableFuture<Boolean> failed =
        run(
            () -> {
              throw broken;
            });
    CompletableFuture<Boolean> next = run(() -> {});
    Within.until(() -> failed.isDone() && next.isDone());
    assertThat(failed.handle((ok, thrown) -> thrown).join()).isSameAs(broken);
    assertThat(next.join()).isTrue();
  }
}
