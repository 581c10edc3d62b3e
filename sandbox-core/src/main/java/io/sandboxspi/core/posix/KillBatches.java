package io.sandboxspi.core.posix;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * Ends launches with one script at a time: calls that come while a script runs share the next one,
 * so that ending many costs what ending one does. Thread-safe.
 */
public final class KillBatches {
  private final Executor executor;
  private final Script script;

  private final Object lock = new Object();
  // Guarded by the lock.
  private @Nullable Batch next;
  private boolean running;

  /** Ends launches in one operation of the sandbox, and says what is proven. */
  @FunctionalInterface
  public interface Script {
    /**
     * Runs on the executor, never twice at once.
     *
     * @param deadline the latest of the calls that share it
     */
    Map<LaunchId, TerminationOutcome> run(List<LaunchId> ids, Deadline deadline)
        throws InterruptedException;
  }

  /** Runs nothing yet. */
  public KillBatches(Executor executor, Script script) {
    this.executor = executor;
    this.script = script;
  }

  /** Launches that one script ends; more join it until it runs. */
  private static final class Batch {
    private final Set<LaunchId> ids = new LinkedHashSet<>();
    private final CompletableFuture<Map<LaunchId, TerminationOutcome>> outcomes =
        new CompletableFuture<>();
    private Deadline deadline;

    Batch(Deadline deadline) {
      this.deadline = deadline;
    }

    void join(List<LaunchId> more, Deadline theirs) {
      ids.addAll(more);
      if (theirs.remainingNanos() > deadline.remainingNanos()) {
        deadline = theirs;
      }
    }
  }

  /**
   * Ends launches and waits until the deadline at the longest; an interrupt ends the wait and not
   * the script. A script that fails or is late leaves each of them unconfirmed.
   */
  public Map<LaunchId, TerminationOutcome> kill(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    Batch mine;
    boolean first;
    synchronized (lock) {
      if (next == null) {
        next = new Batch(deadline);
      }
      mine = next;
      mine.join(ids, deadline);
      first = !running;
      running = true;
    }
    if (first) {
      executor.execute(this::runAll);
    }
    try {
      return mine.outcomes.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      return all(ids, unconfirmed("it took too long", e));
    } catch (ExecutionException e) {
      return all(ids, unconfirmed("the kill failed", e));
    }
  }

  private void runAll() {
    while (true) {
      Batch batch;
      synchronized (lock) {
        batch = next;
        next = null;
        if (batch == null) {
          running = false;
          return;
        }
      }
      try {
        batch.outcomes.complete(script.run(List.copyOf(batch.ids), batch.deadline));
      } catch (InterruptedException | RuntimeException | Error e) {
        batch.outcomes.completeExceptionally(e);
      }
    }
  }

  /** The same outcome for each; a failure is an exception of its own. */
  public static Map<LaunchId, TerminationOutcome> all(
      List<LaunchId> ids, TerminationOutcome outcome) {
    Map<LaunchId, TerminationOutcome> outcomes = new LinkedHashMap<>();
    for (LaunchId id : ids) {
      outcomes.put(id, own(id, outcome));
    }
    return outcomes;
  }

  private static TerminationOutcome own(LaunchId id, TerminationOutcome outcome) {
    if (outcome instanceof TerminationOutcome.Unconfirmed unconfirmed
        && unconfirmed.cause() instanceof SandboxException reason) {
      return TerminationOutcome.unconfirmed(
          SandboxException.builder(
                  reason.code(), reason.operation(), String.valueOf(reason.getMessage()))
              .cause(reason)
              .retryable(reason.retryable())
              .context("launch", id)
              .build());
    }
    return outcome;
  }

  /** An end that is not proven, with the reason as a caller sees it. */
  public static TerminationOutcome unconfirmed(String why, Exception cause) {
    return TerminationOutcome.unconfirmed(
        SandboxException.builder(
                ErrorCode.TERMINATION_UNCONFIRMED,
                Operation.PTY_TERMINATE,
                "not proven ended: " + why)
            .cause(cause)
            .retryable(Retryable.YES)
            .build());
  }
}
