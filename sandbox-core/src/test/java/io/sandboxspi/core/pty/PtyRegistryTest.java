package io.sandboxspi.core.pty;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.IntSupplier;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class PtyRegistryTest {
  private final Set<String> ended = ConcurrentHashMap.newKeySet();
  private final AtomicInteger next = new AtomicInteger(PtyRegistry.MIN_ID);
  private final PtyRegistry<String> registry =
      new PtyRegistry<>(next::getAndIncrement, ended::contains);

  /** Inserts and ends the use. */
  private PtyRegistry.Insertion<String> insert(String entry) {
    PtyRegistry.Insertion<String> insertion = registry.insert(entry).orElseThrow();
    registry.unpin(insertion.id(), entry);
    return insertion;
  }

  private void fill() {
    IntStream.range(0, PtyRegistry.LIMIT).forEach(i -> insert("e" + i));
  }

  @Test
  @Tag("S-REG-01")
  @Tag("S-REG-02")
  void aFullRegistryGivesUpTheLeastRecentlyUsed() {
    fill();
    registry.pin(PtyRegistry.MIN_ID);
    registry.unpin(PtyRegistry.MIN_ID, "e0");
    PtyRegistry.Insertion<String> insertion = insert("new");
    assertThat(insertion.victim()).contains("e1");
    assertThat(insertion.live()).isEqualTo(PtyRegistry.LIMIT);
  }

  @Test
  @Tag("S-REG-02")
  void endedOnesGoFirstButNeverOneOfTheEightMostRecent() {
    fill();
    ended.addAll(Set.of("e20", "e10", "e60"));
    assertThat(List.of(insert("a"), insert("b"), insert("c")))
        .extracting(i -> i.victim().orElseThrow())
        .containsExactly("e10", "e20", "e0");
  }

  @Test
  @Tag("S-REG-02")
  void theEightMostRecentAreSafeEvenIfAllOthersAreInUse() {
    fill();
    IntStream.range(0, PtyRegistry.LIMIT - PtyRegistry.PROTECTED)
        .forEach(i -> registry.pin(PtyRegistry.MIN_ID + i));
    // Those just pinned are the most recent now, and the last eight are free.
    assertThat(insert("new").victim()).contains("e56");
  }

  @Test
  @Tag("S-REG-03")
  void whatIsInUseIsNeverGivenUp() {
    fill();
    registry.entries().keySet().forEach(registry::pin);
    assertThat(registry.hasRoom()).isFalse();
    assertThat(registry.insert("new")).isEmpty();
    registry.unpin(PtyRegistry.MIN_ID + 5, "e5");
    assertThat(registry.hasRoom()).isTrue();
    assertThat(insert("new").victim()).contains("e5");
  }

  @Test
  @Tag("S-REG-04")
  void anIdStaysReservedUntilItIsFreed() {
    Iterator<Integer> draws = List.of(5_000, 5_000, 5_000, 6_000, 5_000).iterator();
    IntSupplier ids = draws::next;
    PtyRegistry<String> reused = new PtyRegistry<>(ids, ended::contains);
    assertThat(reused.insert("a").orElseThrow().id()).isEqualTo(5_000);
    reused.free(5_000, "a");
    assertThat(reused.reserved()).containsExactly(5_000);
    assertThat(reused.detach(5_000)).contains("a");
    assertThat(reused.pin(5_000)).isEmpty();
    assertThat(reused.insert("b").orElseThrow().id()).isEqualTo(6_000);
    reused.free(5_000, "a");
    assertThat(reused.insert("c").orElseThrow().id()).isEqualTo(5_000);
    // What is done late for the entry that had the id does not touch the one that has it now.
    reused.unpin(5_000, "a");
    reused.detach(5_000, "a");
    assertThat(reused.detach(5_000)).contains("c");
    reused.free(5_000, "a");
    assertThat(reused.reserved()).contains(5_000);
  }

  @Test
  @Tag("S-REG-01")
  void idsAreInRange() {
    Iterator<Integer> draws = List.of(0, 999, 100_000, -1, 99_999).iterator();
    PtyRegistry<String> ranged = new PtyRegistry<>(draws::next, ended::contains);
    assertThat(ranged.insert("a").orElseThrow().id()).isEqualTo(99_999);
  }

  @Test
  @Tag("S-REG-05")
  void pressureIsToldOnceForEachUpwardCrossing() {
    Set<Integer> told = new HashSet<>();
    for (int i = 1; i <= PtyRegistry.LIMIT; i++) {
      if (insert("e" + i).pressure()) {
        told.add(i);
      }
    }
    assertThat(told).containsExactly(PtyRegistry.WARNING);
    for (int i = 0; i < 5; i++) {
      registry.detach(PtyRegistry.MIN_ID + i);
    }
    assertThat(insert("again").pressure()).isTrue();
    assertThat(insert("more").pressure()).isFalse();
  }

  @Test
  @Tag("S-REG-01")
  @Tag("S-REG-04")
  void manyThreadsNeverShareAnIdNorExceedTheLimit() throws Exception {
    PtyRegistry<String> shared =
        new PtyRegistry<>(() -> PtyRegistry.MIN_ID + next.getAndIncrement() % 100, ended::contains);
    Set<Integer> inUse = ConcurrentHashMap.newKeySet();
    AtomicInteger most = new AtomicInteger();
    var threads =
        IntStream.range(0, 8)
            .mapToObj(
                t ->
                    Within.start(
                        () -> {
                          for (int i = 0; i < 500; i++) {
                            String entry = "t" + t + "-" + i;
                            Optional<PtyRegistry.Insertion<String>> inserted = shared.insert(entry);
                            if (inserted.isEmpty()) {
                              continue;
                            }
                            int id = inserted.get().id();
                            assertThat(inUse.add(id)).isTrue();
                            most.accumulateAndGet(inserted.get().live(), Math::max);
                            inUse.remove(id);
                            shared.detach(id);
                            shared.free(id, entry);
                          }
                          return true;
                        }))
            .toList();
    for (var thread : threads) {
      assertThat(Within.get(thread.result())).isTrue();
    }
    assertThat(most.get()).isLessThanOrEqualTo(PtyRegistry.LIMIT);
    assertThat(shared.reserved()).isEmpty();
  }
}
