package io.sandboxspi.core.posix;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class KillBatchesTest {
  private static final LaunchId A = LaunchId.random();
  private static final LaunchId B = LaunchId.random();
  private static final LaunchId C = LaunchId.random();

  private final ExecutorService threads = Executors.newCachedThreadPool();
  private final BlockingQueue<List<LaunchId>> runs = new LinkedBlockingQueue<>();
  private final CountDownLatch lifted = new CountDownLatch(1);

  @AfterEach
  void end() {
    lifted.countDown();
    threads.shutdownNow();
  }

  private static Deadline seconds(int value) {
    return Deadline.after(Duration.ofSeconds(value));
  }

  private Map<LaunchId, TerminationOutcome> run(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    runs.add(ids);
    lifted.await();
    return KillBatches.all(ids, TerminationOutcome.confirmed());
  }

  @Test
  void callsThatComeWhileAScriptRunsShareTheNext() throws Exception {
    KillBatches batches = new KillBatches(threads, this::run);
    Future<Map<LaunchId, TerminationOutcome>> first =
        threads.submit(() -> batches.kill(List.of(A), seconds(20)));
    assertThat(runs.poll(10, TimeUnit.SECONDS)).containsExactly(A);
    // Late for their callers, they are ended all the same.
    for (LaunchId id : List.of(B, C)) {
      assertThat(batches.kill(List.of(id), Deadline.after(Duration.ofMillis(50))).get(id))
          .isInstanceOf(TerminationOutcome.Unconfirmed.class);
    }
    assertThat(runs).isEmpty();
    lifted.countDown();
    assertThat(first.get(10, TimeUnit.SECONDS)).containsEntry(A, TerminationOutcome.confirmed());
    assertThat(runs.poll(10, TimeUnit.SECONDS)).containsExactly(B, C);
  }

  @Test
  void aScriptThatFailsProvesNothingAndTheNextOneRuns() throws Exception {
    IllegalStateException broken = new IllegalStateException("broken");
    KillBatches batches =
        new KillBatches(
            threads,
            (ids, deadline) -> {
              if (ids.contains(A)) {
                throw broken;
              }
              return KillBatches.all(ids, TerminationOutcome.alreadyGone());
            });
    assertThat(batches.kill(List.of(A), seconds(10)).get(A))
        .isInstanceOfSatisfying(
            TerminationOutcome.Unconfirmed.class,
            living -> assertThat(living.cause()).hasRootCause(broken));
    assertThat(batches.kill(List.of(B), seconds(10)))
        .containsEntry(B, TerminationOutcome.alreadyGone());
  }

  /** Whoever is told of the first sees the others suppressed under it. */
  @Test
  void eachThatIsNotProvenHasAFailureOfItsOwn() {
    TerminationOutcome late =
        KillBatches.unconfirmed("it is late", new IllegalStateException("late"));
    assertThat(KillBatches.all(List.of(A, B), late).values())
        .extracting(outcome -> ((TerminationOutcome.Unconfirmed) outcome).cause())
        .allSatisfy(cause -> assertThat(cause).hasMessageContaining("it is late"))
        .doesNotHaveDuplicates();
  }
}
