package io.sandboxspi.docker;

import io.sandboxspi.Registration;
import io.sandboxspi.core.posix.PosixLauncher;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.docker.attach.AttachReactor;
import io.sandboxspi.docker.engine.EngineException;
import io.sandboxspi.docker.engine.Refusal;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Processes that were started beforehand, so that a launch does not pay for the engine's start of a
 * process. A kind, with a terminal or without, is kept in stock once it has been used. Taking one
 * never waits; without one a launch is made afresh. Thread-safe.
 */
final class Spares {
  private static final Logger LOG = LoggerFactory.getLogger(Spares.class);
  private static final Duration PATIENCE = Duration.ofSeconds(10);
  private static final Duration DISMISSAL = Duration.ofSeconds(1);
  // The engine is slow to tell the end of a short command while it starts another process.
  private static final Duration LULL = Duration.ofMillis(100);

  private final int limit;
  private final Execs execs;
  private final PosixLauncher posix;
  private final ControlLink control;
  private final AttachReactor reactor;
  private final Lane lane;

  private final Object lock = new Object();
  // Guarded by the lock.
  private final Deque<Spare> ready = new ArrayDeque<>();
  private final Map<LaunchId, Starting> starting = new LinkedHashMap<>();
  private final Set<Boolean> due = new HashSet<>();
  private boolean closed;

  private record Starting(boolean terminal, LaneTask<Boolean> task) {}

  /**
   * Starts nothing yet.
   *
   * @param limit how many of each kind wait at most
   */
  Spares(
      int limit,
      Execs execs,
      PosixLauncher posix,
      ControlLink control,
      AttachReactor reactor,
      Lane lane) {
    this.limit = limit;
    this.execs = execs;
    this.posix = posix;
    this.control = control;
    this.reactor = reactor;
    this.lane = lane;
  }

  /** One that waits, if one does; whoever has it gives it away or discards it. */
  Optional<Spare> take(boolean terminal) {
    synchronized (lock) {
      Optional<Spare> found =
          ready.stream().filter(spare -> spare.terminal() == terminal).findFirst();
      found.ifPresent(ready::remove);
      return found;
    }
  }

  /** How many wait. */
  int waiting(boolean terminal) {
    synchronized (lock) {
      return (int) ready.stream().filter(spare -> spare.terminal() == terminal).count();
    }
  }

  /** A launch of this kind was made: the stock is filled up soon. */
  void used(boolean terminal) {
    boolean first;
    synchronized (lock) {
      first = limit > 0 && !closed && due.add(terminal);
    }
    if (first) {
      Registration unused =
          EngineClock.system().schedule(LULL, () -> lane.execute(() -> fill(terminal)));
    }
  }

  private void fill(boolean terminal) {
    synchronized (lock) {
      due.remove(terminal);
      long stock =
          ready.stream().filter(spare -> spare.terminal() == terminal).count()
              + starting.values().stream().filter(one -> one.terminal() == terminal).count();
      for (; !closed && stock < limit; stock++) {
        LaunchId id = LaunchId.random();
        starting.put(id, new Starting(terminal, lane.call(() -> start(id, terminal))));
      }
    }
  }

  /** On the lane. */
  private boolean start(LaunchId id, boolean terminal) {
    Spare spare = null;
    boolean waits = false;
    try {
      Deadline deadline = Deadline.after(PATIENCE);
      Execs.Spec spec = new Execs.Spec(posix.spare(id), Map.of(), terminal, true);
      spare = new Spare(id, terminal, execs.start(spec, deadline), reactor, this::lost);
      waits = spare.awaitReady(deadline);
    } catch (EngineException | Refusal e) {
      LOG.debug("no spare: launches are made afresh", e);
    } catch (InterruptedException closing) {
      LOG.debug("no spare is needed any more", closing);
    } finally {
      waits &= stock(id, spare, waits);
      if (!waits && spare != null) {
        spare.close();
      }
    }
    return waits;
  }

  private boolean stock(
      LaunchId id, @org.jspecify.annotations.Nullable Spare spare, boolean waits) {
    synchronized (lock) {
      boolean wanted = starting.remove(id) != null && !closed;
      if (wanted && waits && spare != null) {
        ready.add(spare);
      }
      return wanted;
    }
  }

  private void lost(LaunchId id) {
    synchronized (lock) {
      ready.removeIf(spare -> spare.id().equals(id));
    }
  }

  /** One that was taken and has not taken its launch, or perhaps has: it ends. */
  void discard(Spare spare) {
    spare.drain();
    lane.execute(
        () -> {
          dismiss(List.of(spare.id()), Deadline.after(PATIENCE));
          spare.close();
        });
  }

  /** Whether the launch is one that waits here. */
  boolean knows(LaunchId id) {
    synchronized (lock) {
      return starting.containsKey(id) || ready.stream().anyMatch(spare -> spare.id().equals(id));
    }
  }

  /** Ends all that wait, if the container answers; there are no more from now on. */
  void end(Deadline deadline) {
    List<LaunchId> ids = new ArrayList<>();
    synchronized (lock) {
      closed = true;
      ready.forEach(spare -> ids.add(spare.id()));
      ids.addAll(starting.keySet());
    }
    Duration left = deadline.remaining();
    if (!ids.isEmpty()) {
      dismiss(ids, Deadline.after(left.compareTo(DISMISSAL) < 0 ? left : DISMISSAL));
    }
  }

  private void dismiss(List<LaunchId> ids, Deadline deadline) {
    try {
      Object unused = control.ask(posix.dismiss(ids), deadline);
    } catch (EngineException | Refusal e) {
      LOG.debug("{} spares may wait on in the container", ids.size(), e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** Lets go of everything on this side; never waits. */
  void close() {
    List<Spare> mine;
    List<Starting> begun;
    synchronized (lock) {
      closed = true;
      mine = List.copyOf(ready);
      begun = List.copyOf(starting.values());
      ready.clear();
    }
    mine.forEach(Spare::close);
    begun.forEach(one -> one.task().interrupt());
  }
}
