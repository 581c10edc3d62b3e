package io.sandboxspi.core.pty;

import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * The memory of {@link PtyCleanupHelper}: which entries are owned, what is proven of each, and the
 * one attempt under way for it (spec S-CLEAN-01, S-CLEAN-03, S-CLEAN-07). Thread-safe; nothing is
 * called under the lock.
 *
 * @param <E> an entry
 */
final class Ownership<E> {
  private final Object lock = new Object();
  private final Map<E, Owned> owned = new LinkedHashMap<>();

  /** What is known of an owned entry; guarded by the lock. */
  private final class Owned {
    private boolean opening = true;

    /** Counts the handles that came late: what a kill from before says is no proof any more. */
    private int epoch;

    private boolean proven;
    private boolean destroyed;
    private boolean wanted;
    private boolean again;
    private @Nullable Attempt attempt;
    private @Nullable CompletableFuture<Boolean> release;
  }

  /** One attempt; its futures never fail. */
  final class Attempt {
    private final E entry;
    private final Owned state;
    private final int epoch;
    private final Deadline deadline;
    private final CompletableFuture<TerminationOutcome> kill = new CompletableFuture<>();
    private final CompletableFuture<CleanupResult> result = new CompletableFuture<>();

    private Attempt(E entry, Owned state, Deadline deadline) {
      this.entry = entry;
      this.state = state;
      this.epoch = state.epoch;
      this.deadline = deadline;
    }

    E entry() {
      return entry;
    }

    /** When the kill must have answered. */
    Deadline deadline() {
      return deadline;
    }

    CompletableFuture<TerminationOutcome> kill() {
      return kill;
    }

    CompletableFuture<CleanupResult> result() {
      return result;
    }

    /** Whether the end is proven already. */
    boolean proven() {
      synchronized (lock) {
        return state.proven;
      }
    }

    /** Notes a proof; whether it counts and came after the kill was given up. */
    boolean prove() {
      synchronized (lock) {
        if (epoch != state.epoch) {
          return false;
        }
        state.proven = true;
        return kill.isDone();
      }
    }

    /** A release from an attempt before that is still stuck, to be joined. */
    Optional<CompletableFuture<Boolean>> stuckRelease() {
      synchronized (lock) {
        return Optional.ofNullable(state.release).filter(task -> !task.isDone());
      }
    }

    void releasing(CompletableFuture<Boolean> task) {
      synchronized (lock) {
        state.release = task;
      }
    }

    /** The attempt is over; whether another was wanted meanwhile. */
    boolean over() {
      synchronized (lock) {
        boolean again = state.again;
        state.attempt = null;
        state.again = false;
        return again;
      }
    }

    /** Gives the entry up if nothing of it is left; true once. */
    boolean close() {
      synchronized (lock) {
        boolean over =
            state.proven
                && state.attempt == null
                && !state.opening
                && state.release != null
                && state.release.isDone();
        return over && owned.remove(entry, state);
      }
    }
  }

  /**
   * What {@link #join} found.
   *
   * @param results one for each entry, in order
   * @param fresh the attempts that are to be made now
   */
  record Joined<E>(
      List<CompletableFuture<CleanupResult>> results, List<Ownership<E>.Attempt> fresh) {}

  void add(E entry) {
    synchronized (lock) {
      owned.put(entry, new Owned());
    }
  }

  /** No late handle can come any more; whether an attempt must be made now. */
  boolean opened(E entry) {
    synchronized (lock) {
      Owned state = owned.get(entry);
      if (state == null) {
        return false;
      }
      state.opening = false;
      if (!state.wanted) {
        return false;
      }
      // What was proven before the handle came says nothing of a process that started late.
      state.epoch++;
      state.proven = state.destroyed;
      state.again = state.attempt != null;
      return !state.again;
    }
  }

  List<E> entries() {
    synchronized (lock) {
      return new ArrayList<>(owned.keySet());
    }
  }

  boolean contains(E entry) {
    synchronized (lock) {
      return owned.containsKey(entry);
    }
  }

  /** Whether its end was asked for; also true once it is not owned any more. */
  boolean closing(E entry) {
    synchronized (lock) {
      Owned state = owned.get(entry);
      return state == null || state.wanted;
    }
  }

  void remove(E entry) {
    synchronized (lock) {
      owned.remove(entry);
    }
  }

  /** Joins the attempts for these entries; where there is none a fresh one is noted. */
  Joined<E> join(Collection<E> entries, Deadline deadline) {
    List<CompletableFuture<CleanupResult>> results = new ArrayList<>();
    List<Attempt> fresh = new ArrayList<>();
    synchronized (lock) {
      for (E entry : entries) {
        Owned state = owned.get(entry);
        if (state == null) {
          results.add(CompletableFuture.completedFuture(CleanupResult.GONE));
          continue;
        }
        state.wanted = true;
        if (state.attempt == null) {
          state.attempt = new Attempt(entry, state, deadline);
          fresh.add(state.attempt);
        }
        results.add(state.attempt.result);
      }
    }
    return new Joined<>(results, fresh);
  }

  /** The backend is destroyed: all are proven ended. The attempts that run. */
  List<Attempt> proveAll() {
    List<Attempt> running = new ArrayList<>();
    synchronized (lock) {
      for (Owned state : owned.values()) {
        state.destroyed = true;
        state.proven = true;
        if (state.attempt != null) {
          running.add(state.attempt);
        }
      }
    }
    return running;
  }
}
