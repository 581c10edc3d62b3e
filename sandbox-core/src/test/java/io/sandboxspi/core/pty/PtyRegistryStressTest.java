package io.sandboxspi.core.pty;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.SplittableRandom;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Many threads on one registry with few ids: what holds at every moment, whatever the order. */
class PtyRegistryStressTest {
  private static final int IDS = 100;
  private static final int CALLS = 20_000;

  private final PtyRegistry<Entry> registry =
      new PtyRegistry<>(
          () -> PtyRegistry.MIN_ID + ThreadLocalRandom.current().nextInt(IDS),
          entry -> entry.ended.get());
  private final Map<Integer, Entry> given = new ConcurrentHashMap<>();

  private static final class Entry {
    private final AtomicInteger uses = new AtomicInteger();
    private final AtomicBoolean ended = new AtomicBoolean();
  }

  @Test
  @Tag("S-REG-01")
  @Tag("S-REG-03")
  @Tag("S-REG-04")
  void noIdIsGivenTwiceNoEntryInUseIsPrunedAndThereIsRoomForNoMore() throws Exception {
    long seed = System.nanoTime();
    List<Within.Running<Boolean>> threads = new ArrayList<>();
    for (int i = 0; i < 6; i++) {
      SplittableRandom random = new SplittableRandom(seed + i);
      threads.add(
          Within.start(
              () -> {
                for (int n = 0; n < CALLS; n++) {
                  step(random);
                }
                return true;
              }));
    }
    for (var thread : threads) {
      assertThat(Within.get(thread.result())).as("seed " + seed).isTrue();
    }
    registry.detachAll();
    given.forEach(registry::free);
    assertThat(registry.reserved()).isEmpty();
  }

  private void step(SplittableRandom random) {
    int id = PtyRegistry.MIN_ID + random.nextInt(IDS);
    switch (random.nextInt(5)) {
      case 0 -> insert();
      case 1 -> registry.detach(id).ifPresent(entry -> free(id, entry));
      case 2 -> Optional.ofNullable(registry.entries().get(id)).ifPresent(e -> e.ended.set(true));
      default -> registry.pin(id).ifPresent(entry -> use(id, entry, random));
    }
    assertThat(registry.entries()).hasSizeLessThanOrEqualTo(PtyRegistry.LIMIT);
  }

  private void insert() {
    Entry entry = new Entry();
    registry
        .insert(entry)
        .ifPresent(
            inserted -> {
              assertThat(given.put(inserted.id(), entry)).as("an id of two").isNull();
              inserted
                  .victim()
                  .ifPresent(
                      victim -> {
                        assertThat(victim.uses).as("a victim in use").hasValue(0);
                        given.entrySet().stream()
                            .filter(each -> each.getValue() == victim)
                            .map(Map.Entry::getKey)
                            .toList()
                            .forEach(id -> free(id, victim));
                      });
              registry.unpin(inserted.id(), entry);
            });
  }

  private void free(int id, Entry entry) {
    // Detached by one thread only, but maybe before its inserter has told of it.
    Within.until(() -> given.get(id) == entry);
    given.remove(id, entry);
    registry.free(id, entry);
  }

  /** Uses others meanwhile, so that only the use itself protects the entry. */
  private void use(int id, Entry entry, SplittableRandom random) {
    entry.uses.incrementAndGet();
    for (int i = 0; i < 2 * PtyRegistry.PROTECTED; i++) {
      int other = PtyRegistry.MIN_ID + random.nextInt(IDS);
      registry.pin(other).ifPresent(each -> registry.unpin(other, each));
    }
    entry.uses.decrementAndGet();
    registry.unpin(id, entry);
  }
}
