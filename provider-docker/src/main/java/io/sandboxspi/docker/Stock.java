package io.sandboxspi.docker;

import io.sandboxspi.Registration;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes of one kind that were started beforehand. There are none until the kind has been used.
 * Taking one never waits. Thread-safe.
 */
final class Stock<T extends Stock.Item> {
  private static final Logger LOG = LoggerFactory.getLogger(Stock.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  // The engine is slow to tell the end of a short command while it starts another process.
  private static final Duration LULL = Duration.ofMillis(100);

  private final int limit;
  private final Lane lane;
  private final Maker<T> maker;

  private final Object lock = new Object();
  // Guarded by the lock.
  private final Deque<T> ready = new ArrayDeque<>();
  private final Map<LaunchId, LaneTask<Boolean>> starting = new LinkedHashMap<>();
  private boolean due;
  private boolean closed;

  /** What waits. */
  interface Item {
    LaunchId id();

    /** Lets go of it; never waits. */
    void close();
  }

  /** Starts one. */
  interface Maker<T> {
    /** One that waits; empty when it does not. */
    Optional<T> make(LaunchId id, Deadline deadline) throws InterruptedException;
  }

  /**
   * Starts nothing yet.
   *
   * @param limit how many wait at most
   */
  Stock(int limit, Lane lane, Maker<T> maker) {
    this.limit = limit;
    this.lane = lane;
    this.maker = maker;
  }

  /** One that waits, if one does. */
  Optional<T> take() {
    synchronized (lock) {
      return Optional.ofNullable(ready.poll());
    }
  }

  /** How many wait. */
  int waiting() {
    synchronized (lock) {
      return ready.size();
    }
  }

  /** A launch of this kind was made: the stock is filled up soon. */
  void used() {
    synchronized (lock) {
      if (limit == 0 || closed || due) {
        return;
      }
      due = true;
    }
    Registration unused = EngineClock.system().schedule(LULL, () -> lane.execute(this::fill));
  }

  private void fill() {
    synchronized (lock) {
      due = false;
      for (int stock = ready.size() + starting.size(); !closed && stock < limit; stock++) {
        LaunchId id = LaunchId.random();
        starting.put(id, lane.call(() -> start(id)));
      }
    }
  }

  /** On the lane. */
  private boolean start(LaunchId id) {
    Optional<T> made = Optional.empty();
    try {
      made = maker.make(id, Deadline.after(PATIENCE));
    } catch (EngineException | Refusal e) {
      LOG.debug("nothing waits: launches are made afresh", e);
    } catch (InterruptedException closing) {
      LOG.debug("nothing needs to wait any more", closing);
    }
    synchronized (lock) {
      if (starting.remove(id) != null && !closed && made.isPresent()) {
        ready.add(made.get());
        return true;
      }
    }
    made.ifPresent(Item::close);
    return false;
  }

  /** Takes one back; whether it is wanted. */
  boolean back(T item) {
    synchronized (lock) {
      boolean wanted = !closed && ready.size() + starting.size() < limit;
      if (wanted) {
        ready.addFirst(item);
      }
      return wanted;
    }
  }

  /** One that waited has ended. */
  void lost(LaunchId id) {
    synchronized (lock) {
      ready.removeIf(item -> item.id().equals(id));
    }
  }

  /** Whether it waits here, or is about to. */
  boolean knows(LaunchId id) {
    synchronized (lock) {
      return starting.containsKey(id) || ready.stream().anyMatch(item -> item.id().equals(id));
    }
  }

  /** There are no more from now on; those that wait, or are about to. */
  List<LaunchId> end() {
    List<LaunchId> ids = new ArrayList<>();
    synchronized (lock) {
      closed = true;
      ready.forEach(item -> ids.add(item.id()));
      ids.addAll(starting.keySet());
    }
    return ids;
  }

  /** Lets go of all; never waits. */
  void close() {
    List<T> mine;
    List<LaneTask<Boolean>> begun;
    synchronized (lock) {
      closed = true;
      mine = List.copyOf(ready);
      begun = List.copyOf(starting.values());
      ready.clear();
    }
    mine.forEach(Item::close);
    begun.forEach(LaneTask::interrupt);
  }
}
