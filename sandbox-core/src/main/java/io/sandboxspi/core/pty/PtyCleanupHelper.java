package io.sandboxspi.core.pty;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.core.time.Suppressed;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Ends processes: the one path of prune, finalizer, registry clear, startup failure, timeout,
 * cancellation and late handle (spec S-CLEAN-01 to S-CLEAN-08).
 *
 * <p>An entry is owned from {@link #own} until a kill is proven, its local resources were released
 * and its opening is over. An attempt is a kill, bounded by {@link CleanupTimings#kill()}, and then
 * a release, bounded by {@link CleanupTimings#join()}; it runs on the cleanup lane and never on the
 * caller's thread, so no caller that goes away can stop it. There is one attempt per entry at a
 * time and every caller joins it. A kill that answers after its bound still counts.
 *
 * <p>Thread-safe. The lock guards memory only.
 *
 * @param <E> an entry
 */
public final class PtyCleanupHelper<E> {
  private final CleanupOperations<E> operations;
  private final CleanupTimings timings;
  private final Lane lane;
  private final ShortTasks releases;
  private final EngineClock clock;

  private final Ownership<E> ownership = new Ownership<>();

  /**
   * Makes a helper.
   *
   * @param lane only for cleanup, so that nothing else can fill it
   */
  public PtyCleanupHelper(
      CleanupOperations<E> operations, CleanupTimings timings, Lane lane, EngineClock clock) {
    this.operations = operations;
    this.timings = timings;
    this.lane = lane;
    this.releases = new ShortTasks(lane, clock);
    this.clock = clock;
  }

  /**
   * Takes an entry over before its process may exist.
   *
   * @param opening completes, in whatever way, when no late handle can come any more; if cleanup
   *     was wanted meanwhile, another attempt is made then
   */
  public void own(E entry, CompletableFuture<?> opening) {
    ownership.add(entry);
    Callback.when(
        opening,
        (handle, failure) -> {
          if (ownership.opened(entry)) {
            begin(List.of(entry));
          }
        });
  }

  /** The entries owned, in the order they came. */
  public List<E> owned() {
    return ownership.entries();
  }

  /** Whether an attempt for the entry was begun; also true once it is closed. */
  public boolean isClosing(E entry) {
    return ownership.closing(entry);
  }

  /** Whether nothing of the entry is left and nobody owns it. */
  public boolean isClosed(E entry) {
    return !ownership.contains(entry);
  }

  /** Gives up an entry of which no process was ever asked for. */
  public void disown(E entry) {
    ownership.remove(entry);
  }

  /** Begins or joins the cleanup of one entry; the future never fails and completes in bounds. */
  public CompletableFuture<CleanupResult> begin(E entry) {
    return begin(List.of(entry)).get(0);
  }

  /** Begins or joins the cleanup of a batch: one future for each entry, in order. */
  public List<CompletableFuture<CleanupResult>> begin(Collection<E> entries) {
    Ownership.Joined<E> joined = ownership.join(entries, clock.deadline(timings.kill()));
    bound(joined.fresh());
    List<Ownership<E>.Attempt> unproven = new ArrayList<>();
    for (Ownership<E>.Attempt attempt : joined.fresh()) {
      if (attempt.proven()) {
        attempt.kill().complete(TerminationOutcome.alreadyGone());
      } else {
        unproven.add(attempt);
      }
    }
    if (unproven.size() > 1) {
      killTogether(unproven);
    } else {
      unproven.forEach(this::killOne);
    }
    return joined.results();
  }

  /**
   * Waits until each attempt has settled, through cancellations of the caller, and throws what the
   * caller must see (spec S-CANCEL-04).
   *
   * @throws InterruptedException or the reason of the caller's scope: its own cancellation, with
   *     the failures suppressed under it
   * @throws SandboxException the first failure in batch order, the others suppressed under it
   */
  public void cleanUp(List<CompletableFuture<CleanupResult>> attempts, Caller caller)
      throws InterruptedException {
    List<Throwable> failures = settle(attempts, caller);
    caller.throwIfCancelled(failures);
    throwFirst(failures);
  }

  /**
   * As {@link #cleanUp(List, Caller)} after a failure that goes before those of the cleanup.
   *
   * @param failure what the caller throws when this returns; gets the failures of the cleanup
   */
  public void cleanUpAfter(
      Throwable failure, List<CompletableFuture<CleanupResult>> attempts, Caller caller)
      throws InterruptedException {
    settle(attempts, caller).forEach(other -> Suppressed.add(failure, other));
    caller.throwIfCancelled(List.of(failure));
  }

  /** Throws the first failure with the others suppressed under it; nothing if there is none. */
  public static void throwFirst(List<Throwable> failures) {
    CleanupResult.first(failures).ifPresent(PtyCleanupHelper::rethrow);
  }

  /** Waits through cancellations; the failures in batch order. */
  public List<Throwable> settle(List<CompletableFuture<CleanupResult>> attempts, Caller caller) {
    List<Throwable> failures = new ArrayList<>();
    caller.settle(
        CompletableFuture.allOf(attempts.toArray(new CompletableFuture<?>[0])), clock.never());
    for (CompletableFuture<CleanupResult> attempt : attempts) {
      attempt.join().failure().ifPresent(failures::add);
    }
    return failures;
  }

  /** The backend is destroyed: every entry's process is proven ended; local release still runs. */
  public List<CompletableFuture<CleanupResult>> confirmAll() {
    ownership
        .proveAll()
        .forEach(attempt -> attempt.kill().complete(TerminationOutcome.alreadyGone()));
    return begin(ownership.entries());
  }

  /** Arms the bound of the kills, which begin together. */
  private void bound(List<Ownership<E>.Attempt> attempts) {
    if (attempts.isEmpty()) {
      return;
    }
    AtomicInteger open = new AtomicInteger(attempts.size());
    Registration timer =
        clock.schedule(
            timings.kill(),
            () ->
                attempts.forEach(
                    attempt ->
                        attempt
                            .kill()
                            .complete(TerminationOutcome.unconfirmed(timeout(timings, "kill")))));
    for (Ownership<E>.Attempt attempt : attempts) {
      // The release must not run on the timer's or the backend's thread.
      Callback.when(
          attempt.kill(),
          (outcome, failure) -> {
            if (open.decrementAndGet() == 0) {
              timer.close();
            }
            release(attempt, outcome);
          });
    }
  }

  private void killTogether(List<Ownership<E>.Attempt> attempts) {
    List<E> entries = attempts.stream().map(a -> a.entry()).toList();
    Deadline deadline = attempts.get(0).deadline();
    // What the batch answered in time; nothing when it stalls as a whole, for that must not take
    // the time that each entry has by itself.
    CompletableFuture<Map<E, TerminationOutcome>> decided = new CompletableFuture<>();
    Registration patience =
        clock.schedule(timings.kill().dividedBy(2), () -> decided.complete(Map.of()));
    LaneTask<Map<E, TerminationOutcome>> together =
        lane.call(() -> operations.killAll(entries, deadline));
    Callback.when(
        together,
        (outcomes, failure) -> {
          Map<E, TerminationOutcome> answer = outcomes == null ? Map.of() : outcomes;
          if (!decided.complete(answer)) {
            attempts.stream()
                .filter(a -> answer.containsKey(a.entry()) && answer.get(a.entry()).proven())
                .forEach(a -> answered(a, answer.get(a.entry())));
          }
        });
    Callback.when(
        decided,
        (outcomes, failure) -> {
          patience.close();
          together.interrupt();
          Map<E, TerminationOutcome> answer = outcomes == null ? Map.of() : outcomes;
          attempts.forEach(a -> answered(a, answer.get(a.entry())));
          attempts.stream().filter(a -> !a.kill().isDone()).forEach(this::killOne);
        });
  }

  private void killOne(Ownership<E>.Attempt attempt) {
    LaneTask<TerminationOutcome> task =
        lane.call(
            () ->
                attempt.proven()
                    ? TerminationOutcome.alreadyGone()
                    : operations.kill(attempt.entry(), attempt.deadline()));
    Callback.when(
        task,
        (outcome, failure) ->
            answered(
                attempt,
                outcome != null ? outcome : TerminationOutcome.unconfirmed(unwrapped(failure))));
    Callback.when(attempt.kill(), (outcome, failure) -> task.interrupt());
  }

  /** A kill answered, in time or late. */
  private void answered(Ownership<E>.Attempt attempt, @Nullable TerminationOutcome outcome) {
    if (outcome == null) {
      return;
    }
    boolean late = outcome.proven() && attempt.prove();
    attempt.kill().complete(outcome);
    if (late) {
      closeIfOver(attempt);
    }
  }

  /** Releases local resources, whatever the kill came to; joins a release that is still stuck. */
  private void release(Ownership<E>.Attempt attempt, TerminationOutcome outcome) {
    CompletableFuture<Boolean> task =
        attempt
            .stuckRelease()
            .orElseGet(() -> releases.run(() -> operations.release(attempt.entry())));
    attempt.releasing(task);
    CompletableFuture<Optional<Throwable>> released = new CompletableFuture<>();
    Registration timer =
        clock.schedule(
            timings.join(), () -> released.complete(Optional.of(timeout(timings, "release"))));
    Callback.when(
        task,
        (ok, failure) -> {
          released.complete(Optional.ofNullable(failure).map(PtyCleanupHelper::unwrapped));
          closeIfOver(attempt);
        });
    Callback.when(
        released,
        (failure, bug) -> {
          timer.close();
          finish(attempt, new CleanupResult(outcome, failure));
        });
  }

  private void finish(Ownership<E>.Attempt attempt, CleanupResult result) {
    boolean again = attempt.over();
    try {
      if (again) {
        begin(List.of(attempt.entry()));
      }
      if (!closeIfOver(attempt)) {
        result.failure().ifPresent(cause -> operations.retained(attempt.entry(), cause));
      }
    } finally {
      attempt.result().complete(result);
    }
  }

  private boolean closeIfOver(Ownership<E>.Attempt attempt) {
    boolean closed = attempt.close();
    if (closed) {
      operations.closed(attempt.entry());
    }
    return closed;
  }

  private static Throwable unwrapped(@Nullable Throwable failure) {
    return failure == null ? new IllegalStateException("a kill answered nothing") : failure;
  }

  private static SandboxException timeout(CleanupTimings timings, String step) {
    boolean kill = step.equals("kill");
    return SandboxException.builder(
            kill ? ErrorCode.TERMINATION_UNCONFIRMED : ErrorCode.RELEASE_FAILED,
            Operation.PTY_TERMINATE,
            "the " + step + " did not end in " + (kill ? timings.kill() : timings.join()))
        .retryable(Retryable.YES)
        .build();
  }

  private static void rethrow(Throwable failure) {
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    if (failure instanceof Error e) {
      throw e;
    }
    throw SandboxException.builder(
            ErrorCode.TERMINATION_UNCONFIRMED, Operation.PTY_TERMINATE, "the kill failed")
        .cause(failure)
        .retryable(Retryable.YES)
        .build();
  }
}
