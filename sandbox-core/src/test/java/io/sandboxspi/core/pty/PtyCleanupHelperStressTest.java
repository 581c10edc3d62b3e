package io.sandboxspi.core.pty;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.RepeatedTest;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Random schedules of everything that may happen to entries at once: many callers, kills that fail,
 * stall, answer late, lie or throw, releases that are stuck, openings that end late, a backend that
 * is destroyed. A failure names its seed; {@code -Dstress.seed} runs it again.
 */
class PtyCleanupHelperStressTest {
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofMillis(60),
          Duration.ofMillis(30),
          Duration.ofMillis(20),
          Duration.ofMillis(100));
  private static final int THREADS = 6;
  private static final int ENTRIES = 24;

  private final EngineClock clock = EngineClock.system();

  @RepeatedTest(25)
  @Tag("S-CLEAN-01")
  @Tag("S-CLEAN-03")
  @Tag("S-CLEAN-05")
  @Tag("S-CLEAN-06")
  @Tag("S-CLEAN-07")
  void everyScheduleSettlesAndClosesOnlyWhatIsProven() throws Exception {
    run(seed(), false);
  }

  @RepeatedTest(10)
  @Tag("S-CLEAN-08")
  void aBackendThatIsDestroyedAtAnyMomentClosesAllOfThem() throws Exception {
    run(seed(), true);
  }

  private static long seed() {
    return Long.getLong("stress.seed", System.nanoTime());
  }

  private void run(long seed, boolean destroy) throws Exception {
    StressOperations operations = new StressOperations(seed);
    Lane lane = Lane.platform("stress-cleanup");
    PtyCleanupHelper<StressOperations.Entry> helper =
        new PtyCleanupHelper<>(operations, TIMINGS, lane, clock);
    List<StressOperations.Entry> entries = Collections.synchronizedList(new ArrayList<>());
    List<CompletableFuture<CleanupResult>> attempts =
        Collections.synchronizedList(new ArrayList<>());
    List<Within.Running<Boolean>> callers = new ArrayList<>();
    for (int t = 0; t < THREADS; t++) {
      Random random = new Random(seed + t);
      callers.add(
          Within.start(
              () -> {
                for (int i = 0; i < ENTRIES / THREADS; i++) {
                  entries.add(own(helper, operations, lane, random));
                  act(helper, List.copyOf(entries), attempts, random);
                }
                return true;
              }));
    }
    if (destroy) {
      Within.until(() -> entries.size() > ENTRIES / 2);
      operations.destroyed();
      attempts.addAll(helper.confirmAll());
    }
    try {
      for (Within.Running<Boolean> caller : callers) {
        Within.get(caller.result());
      }
      for (CompletableFuture<CleanupResult> attempt : List.copyOf(attempts)) {
        assertThat(Within.get(attempt)).isNotNull();
      }
      operations.lift();
      for (StressOperations.Entry entry : entries) {
        // Completed by whoever starts it: never before it has started.
        assertThat(Within.get(entry.opening)).isTrue();
      }
      Within.until(
          () -> {
            helper.begin(helper.owned()).forEach(CompletableFuture::join);
            return helper.owned().isEmpty();
          });
      Within.until(() -> operations.calls() == 0);
      assertThat(operations.defects()).isEmpty();
      for (StressOperations.Entry entry : entries) {
        assertThat(entry.closed.get()).as("closed, %s", entry).isEqualTo(1);
        assertThat(entry.releases.get()).as("releases, %s", entry).isPositive();
      }
    } catch (Throwable failure) {
      throw new AssertionError("seed " + seed + ": " + failure.getMessage(), failure);
    } finally {
      operations.lift();
      lane.retire();
    }
  }

  private StressOperations.Entry own(
      PtyCleanupHelper<StressOperations.Entry> helper,
      StressOperations operations,
      Lane lane,
      Random random) {
    StressOperations.Entry entry = operations.entry(random);
    if (random.nextInt(3) > 0) {
      entry.start();
      entry.opening.complete(true);
      helper.own(entry, entry.opening);
    } else {
      helper.own(entry, entry.opening);
      // A late handle: it is there before the opening is over, whatever was proven until then.
      int delay = random.nextInt(90);
      clock.schedule(
          Duration.ofMillis(delay),
          () ->
              lane.execute(
                  () -> {
                    entry.start();
                    entry.opening.complete(true);
                  }));
    }
    return entry;
  }

  private void act(
      PtyCleanupHelper<StressOperations.Entry> helper,
      List<StressOperations.Entry> entries,
      List<CompletableFuture<CleanupResult>> attempts,
      Random random)
      throws InterruptedException {
    List<StressOperations.Entry> batch = new ArrayList<>(entries);
    Collections.shuffle(batch, random);
    batch = batch.subList(0, 1 + random.nextInt(batch.size()));
    switch (random.nextInt(4)) {
      case 0 -> attempts.add(helper.begin(batch.get(0)));
      case 1 -> attempts.addAll(helper.begin(batch));
      case 2 -> checkFirstFailure(helper, batch);
      default -> Thread.yield();
    }
  }

  /** The thrown failure is the first in batch order, with the others suppressed under it. */
  private void checkFirstFailure(
      PtyCleanupHelper<StressOperations.Entry> helper, List<StressOperations.Entry> batch) {
    try (Caller caller = Caller.enter(clock)) {
      List<CompletableFuture<CleanupResult>> begun = helper.begin(batch);
      List<Throwable> failures = helper.settle(begun, caller);
      List<Throwable> expected = new ArrayList<>();
      begun.forEach(each -> each.join().failure().ifPresent(expected::add));
      assertThat(failures).containsExactlyElementsOf(expected);
      if (!failures.isEmpty()) {
        Throwable first = CleanupResult.first(failures).orElseThrow();
        assertThat(first).isSameAs(expected.get(0));
        expected.stream()
            .filter(other -> other != first)
            .forEach(other -> assertThat(first.getSuppressed()).contains(other));
      }
    }
  }

  /** The suite finds what it looks for. */
  @ParameterizedTest
  @ValueSource(booleans = {true, false})
  @Tag("S-CLEAN-07")
  void theModelTellsAFalseCloseAndADoubleRelease(boolean close) {
    StressOperations operations = new StressOperations(1);
    StressOperations.Entry entry = operations.entry(new Random(1));
    entry.start();
    if (close) {
      operations.closed(entry);
    } else {
      entry.releasing.set(true);
      operations.release(entry);
    }
    assertThat(operations.defects()).isNotEmpty();
  }

  @Test
  @Tag("S-CLEAN-05")
  void aBatchOfManyTakesTheLongestAndNotTheSum() throws Exception {
    StressOperations operations = new StressOperations(2);
    PtyCleanupHelper<StressOperations.Entry> helper =
        new PtyCleanupHelper<>(
            operations,
            new CleanupTimings(
                Duration.ofSeconds(1),
                Duration.ofMillis(200),
                Duration.ofMillis(20),
                Duration.ofMillis(100)),
            Lane.platform("stress-batch"),
            clock);
    List<StressOperations.Entry> entries = new ArrayList<>();
    for (int i = 0; i < 64; i++) {
      StressOperations.Entry entry = operations.stuckEntry();
      entry.start();
      entry.opening.complete(true);
      helper.own(entry, entry.opening);
      entries.add(entry);
    }
    long before = System.nanoTime();
    try (Caller caller = Caller.enter(clock)) {
      assertThat(helper.settle(helper.begin(entries), caller)).hasSize(64);
    }
    // The sum would be more than a minute.
    assertThat(Duration.ofNanos(System.nanoTime() - before)).isLessThan(Duration.ofSeconds(20));
    operations.lift();
    Within.until(() -> helper.owned().isEmpty());
    assertThat(operations.defects()).isEmpty();
  }
}
