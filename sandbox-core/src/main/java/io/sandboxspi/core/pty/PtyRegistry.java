package io.sandboxspi.core.pty;

import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.function.IntSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Finds the PTYs of one session by id and keeps their number down (spec S-REG-01 to S-REG-07).
 *
 * <p>Leaving the registry ends the look-up, not the ownership: an id stays reserved until {@link
 * #free}. Who ends a use late names the entry, because its id may be another's by then.
 * Thread-safe; nothing is called under the lock but the given predicate, which reads memory only.
 *
 * @param <E> an entry
 */
public final class PtyRegistry<E> {
  /** Most PTYs at a time. */
  public static final int LIMIT = 64;

  /** From this many on the session is under pressure. */
  public static final int WARNING = 60;

  /** So many most recently used PTYs are never pruned. */
  public static final int PROTECTED = 8;

  /** Smallest id. */
  public static final int MIN_ID = 1_000;

  /** Largest id. */
  public static final int MAX_ID = 99_999;

  private static final int DRAWS = 10_000;

  private final IntSupplier ids;
  private final Predicate<E> ended;
  private final Object lock = new Object();
  private final Map<Integer, Slot<E>> slots = new LinkedHashMap<>();
  private final Map<Integer, E> reserved = new HashMap<>();
  private long uses;

  private static final class Slot<E> {
    private final E entry;
    private int pins;
    private long lastUse;

    private Slot(E entry) {
      this.entry = entry;
    }
  }

  /**
   * What an insertion did.
   *
   * @param id the new entry's id
   * @param victim the entry that lost its place
   * @param live how many are in the registry now
   * @param pressure whether the number rose to {@link #WARNING} by it
   */
  public record Insertion<E>(int id, Optional<E> victim, int live, boolean pressure) {}

  /**
   * Makes a registry.
   *
   * @param ids draws candidates for ids; those outside the range or reserved are drawn again
   * @param ended whether an entry's process has ended; reads memory only
   */
  public PtyRegistry(IntSupplier ids, Predicate<E> ended) {
    this.ids = ids;
    this.ended = ended;
  }

  /** Whether an entry could be inserted now. */
  public boolean hasRoom() {
    synchronized (lock) {
      return slots.size() < LIMIT || victim() != null;
    }
  }

  /**
   * Inserts an entry as the most recent and pins it; a full registry gives up its least useful
   * entry.
   *
   * @return empty when every entry is in use
   */
  public Optional<Insertion<E>> insert(E entry) {
    synchronized (lock) {
      Integer victimId = null;
      if (slots.size() >= LIMIT) {
        victimId = victim();
        if (victimId == null) {
          return Optional.empty();
        }
      }
      OptionalInt id = draw();
      if (id.isEmpty()) {
        return Optional.empty();
      }
      int before = slots.size();
      Slot<E> victim = victimId == null ? null : slots.remove(victimId);
      Slot<E> slot = new Slot<>(entry);
      slot.pins = 1;
      slot.lastUse = ++uses;
      slots.put(id.getAsInt(), slot);
      reserved.put(id.getAsInt(), entry);
      int live = slots.size();
      return Optional.of(
          new Insertion<>(
              id.getAsInt(),
              Optional.ofNullable(victim).map(v -> v.entry),
              live,
              before < WARNING && live >= WARNING));
    }
  }

  private OptionalInt draw() {
    for (int i = 0; i < DRAWS; i++) {
      int id = ids.getAsInt();
      if (id >= MIN_ID && id <= MAX_ID && !reserved.containsKey(id)) {
        return OptionalInt.of(id);
      }
    }
    return OptionalInt.empty();
  }

  /** The one to give up: not in use, not recent, ended before living, least recently used. */
  private @Nullable Integer victim() {
    List<Map.Entry<Integer, Slot<E>>> byUse = new ArrayList<>(slots.entrySet());
    byUse.sort(Comparator.comparingLong(e -> e.getValue().lastUse));
    List<Map.Entry<Integer, Slot<E>>> candidates =
        byUse.subList(0, Math.max(0, byUse.size() - PROTECTED)).stream()
            .filter(e -> e.getValue().pins == 0)
            .toList();
    return candidates.stream()
        .filter(e -> ended.test(e.getValue().entry))
        .findFirst()
        .or(() -> candidates.stream().findFirst())
        .map(Map.Entry::getKey)
        .orElse(null);
  }

  /** Looks an entry up, counts this as a use and pins it until {@link #unpin}. */
  public Optional<E> pin(int id) {
    synchronized (lock) {
      Slot<E> slot = slots.get(id);
      if (slot == null) {
        return Optional.empty();
      }
      slot.pins++;
      slot.lastUse = ++uses;
      return Optional.of(slot.entry);
    }
  }

  /** Ends a use; nothing happens if the entry has left the registry. */
  public void unpin(int id, E entry) {
    synchronized (lock) {
      Slot<E> slot = slots.get(id);
      if (slot != null && slot.entry.equals(entry)) {
        slot.pins--;
      }
    }
  }

  /** Takes an entry out of the look-up; its id stays reserved. */
  public Optional<E> detach(int id) {
    synchronized (lock) {
      return Optional.ofNullable(slots.remove(id)).map(slot -> slot.entry);
    }
  }

  /** As {@link #detach(int)}, if the id is this entry's. */
  public void detach(int id, E entry) {
    synchronized (lock) {
      Slot<E> slot = slots.get(id);
      if (slot != null && slot.entry.equals(entry)) {
        slots.remove(id);
      }
    }
  }

  /** Takes every entry out of the look-up; the ids stay reserved. */
  public List<E> detachAll() {
    synchronized (lock) {
      List<E> detached = slots.values().stream().map(slot -> slot.entry).toList();
      slots.clear();
      return detached;
    }
  }

  /** The id may be drawn again: its process is proven ended and it has left the look-up. */
  public void free(int id, E entry) {
    synchronized (lock) {
      Slot<E> slot = slots.get(id);
      if ((slot == null || !slot.entry.equals(entry)) && entry.equals(reserved.get(id))) {
        reserved.remove(id);
      }
    }
  }

  /** The entries by id, in the order they came. */
  public Map<Integer, E> entries() {
    synchronized (lock) {
      Map<Integer, E> copy = new LinkedHashMap<>();
      slots.forEach((id, slot) -> copy.put(id, slot.entry));
      return copy;
    }
  }

  /** The ids that cannot be drawn. */
  public Set<Integer> reserved() {
    synchronized (lock) {
      return Set.copyOf(reserved.keySet());
    }
  }
}
