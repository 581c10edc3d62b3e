package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.pty.CleanupOperations;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;

/** Ends entries through the backend and checks its word against the exit that was seen. */
final class EngineCleanup implements CleanupOperations<ProcessEntry> {
  /** How long output of a killed process may still arrive. */
  private static final Duration OUTPUT_GRACE = Duration.ofMillis(100);

  private final SessionCore core;

  EngineCleanup(SessionCore core) {
    this.core = core;
  }

  @Override
  public TerminationOutcome kill(ProcessEntry entry, Deadline deadline)
      throws InterruptedException {
    TerminationOutcome outcome;
    try (Registration mark = core.enterClosing()) {
      outcome = core.backend().kill(entry.id(), deadline);
    } catch (SandboxException e) {
      if (e.code() != ErrorCode.BACKEND_GONE) {
        throw e;
      }
      return TerminationOutcome.alreadyGone(); // the proof itself: no exit can be told any more
    }
    return checked(Map.of(entry, outcome)).getOrDefault(entry, outcome);
  }

  @Override
  public Map<ProcessEntry, TerminationOutcome> killAll(
      List<ProcessEntry> entries, Deadline deadline) throws InterruptedException {
    Map<LaunchId, ProcessEntry> byId = new LinkedHashMap<>();
    entries.forEach(entry -> byId.put(entry.id(), entry));
    Map<LaunchId, TerminationOutcome> answered;
    try (Registration mark = core.enterClosing()) {
      answered = core.backend().killAll(List.copyOf(byId.keySet()), deadline);
    }
    Map<ProcessEntry, TerminationOutcome> outcomes = new LinkedHashMap<>();
    byId.forEach(
        (id, entry) -> {
          TerminationOutcome outcome = answered.get(id);
          if (outcome != null) {
            outcomes.put(entry, outcome);
          }
        });
    return checked(outcomes);
  }

  /**
   * A backend that reports exits must also report those of the processes it says it ended: without
   * that, its word proves nothing (spec S-CLEAN-07). Output of a killed process gets a moment to
   * arrive.
   */
  private Map<ProcessEntry, TerminationOutcome> checked(
      Map<ProcessEntry, TerminationOutcome> outcomes) throws InterruptedException {
    Map<ProcessEntry, TerminationOutcome> result = new HashMap<>(outcomes);
    Deadline evidence = core.clock().deadline(core.spec().timings().join());
    List<ProcessEntry> claimed =
        outcomes.entrySet().stream()
            .filter(each -> each.getValue().proven() && heard(each.getKey()))
            .map(Map.Entry::getKey)
            .toList();
    try (Caller caller = Caller.enter(core.clock())) {
      // Of all at once: a wake-up for each would take processors from what is waited for.
      if (caller.await(all(claimed, ProcessEntry::exitSeen), evidence) == Caller.Wait.CANCELLED) {
        caller.throwIfCancelled(List.of());
      }
      for (ProcessEntry entry : claimed) {
        if (!entry.exitSeen().isDone()
            && core.capabilities().contains(Capability.EXIT_CODE_RELIABLE)) {
          entry.distrust();
          result.put(entry, TerminationOutcome.unconfirmed(noExit()));
        }
      }
      List<ProcessEntry> ended =
          outcomes.keySet().stream().filter(e -> e.exited() && e.process().isPresent()).toList();
      caller.await(all(ended, ProcessEntry::outputOver), core.clock().deadline(OUTPUT_GRACE));
    }
    return result;
  }

  /**
   * Whether its exit can be heard. After its release it may not be, which proves nothing unless the
   * backend has been wrong before.
   */
  private static boolean heard(ProcessEntry entry) {
    return entry.process().isPresent() && (!entry.silenced() || entry.distrusted());
  }

  private static CompletableFuture<Void> all(
      List<ProcessEntry> entries, Function<ProcessEntry, CompletableFuture<Boolean>> event) {
    return CompletableFuture.allOf(
        entries.stream().map(event).toArray(CompletableFuture<?>[]::new));
  }

  private static SandboxException noExit() {
    return SandboxException.builder(
            ErrorCode.TERMINATION_UNCONFIRMED,
            Operation.PTY_TERMINATE,
            "the backend says that the process has ended, but no exit was seen")
        .retryable(Retryable.YES)
        .build();
  }

  @Override
  public void release(ProcessEntry entry) {
    try (Registration mark = core.enterClosing()) {
      entry.silence().ifPresent(SandboxProcess::release);
    }
  }

  @Override
  public void closed(ProcessEntry entry) {
    if (entry instanceof PtyEntry pty) {
      core.freeIfOver(pty);
    }
    if (entry.wasRetained()) {
      report(entry, false, "is proven ended now");
    }
    core.retireIfOver();
  }

  @Override
  public void retained(ProcessEntry entry, Throwable cause) {
    entry.markRetained();
    report(entry, true, "is retained: " + cause.getClass().getSimpleName());
  }

  private void report(ProcessEntry entry, boolean retained, String detail) {
    core.events().retention(entry.id().value(), retained, detail);
  }
}
