package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.pty.PtyRegistry;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.spi.LaunchRequest;
import java.util.List;
import java.util.Optional;

/** Starts PTYs: launch, registration, pruning, first collection. */
final class PtyStarter {
  private final SessionCore core;
  private final Launcher launcher;
  private final PtyCollector collector;

  PtyStarter(SessionCore core, Launcher launcher, PtyCollector collector) {
    this.core = core;
    this.launcher = launcher;
    this.collector = collector;
  }

  PtyUpdate start(PtyRequest request, Caller caller) throws InterruptedException {
    long startedAt = core.clock().nanoTime();
    core.gate().check(Operation.PTY_START);
    if (request.terminal().isPresent()) {
      core.require(Capability.TTY, Operation.PTY_START);
    }
    core.require(request.user(), Operation.PTY_START);
    if (!core.registry().hasRoom()) {
      throw full();
    }
    PtyEntry entry = new PtyEntry(request, core, core.clock());
    launcher.launch(
        entry,
        new LaunchRequest(
            entry.id(),
            request.argv(),
            Commands.environment(core, request.environment()),
            request.workdir(),
            request.terminal(),
            request.terminal().isPresent(),
            request.user()),
        request.openTimeout(),
        Operation.PTY_START,
        caller);
    int id;
    try {
      request
          .maxLifetime()
          .ifPresent(
              life -> entry.keep(core.clock().schedule(life, () -> core.end(List.of(entry)))));
      id = register(entry);
    } catch (Throwable failure) { // rethrown; nobody else could reach the process
      core.registry().detach(entry.ptyId(), entry);
      core.freeIfOver(entry);
      core.helper().cleanUpAfter(failure, core.end(List.of(entry)), caller);
      throw failure;
    }
    try {
      return collector.collect(
          entry, id, collector.window(request.collect()), request.collect(), caller, startedAt, 0);
    } catch (Throwable failure) { // rethrown; the PTY must not become unreachable
      if (!request.isKeptOnCancel()) {
        core.registry().detach(id, entry);
        core.freeIfOver(entry);
        core.reached(HookPoint.SETTLE_BEFORE, entry.id().value());
        core.helper().cleanUpAfter(failure, core.end(List.of(entry)), caller);
      }
      throw failure;
    } finally {
      core.registry().unpin(id, entry);
    }
  }

  private int register(PtyEntry entry) {
    core.reached(HookPoint.REG_BEFORE_INSERT, entry.id().value());
    Optional<PtyRegistry.Insertion<PtyEntry>> insertion = core.registry().insert(entry);
    if (insertion.isEmpty()) {
      throw full();
    }
    PtyRegistry.Insertion<PtyEntry> inserted = insertion.get();
    entry.registered(inserted.id());
    // Its victim is the session's business: this start neither waits for it nor fails with it.
    inserted
        .victim()
        .ifPresent(
            victim -> {
              core.reached(HookPoint.REG_AFTER_DETACH, victim.id().value());
              prune(victim);
            });
    if (inserted.pressure()) {
      core.events().pressure(inserted.live(), PtyRegistry.LIMIT);
    }
    core.reached(HookPoint.REG_AFTER_INSERT, entry.id().value());
    return inserted.id();
  }

  private void prune(PtyEntry victim) {
    SessionEvents.Span span =
        core.events().begin(Operation.PTY_PRUNE, Integer.toString(victim.ptyId()));
    Callback.when(
        core.end(List.of(victim)).get(0),
        (result, bug) -> {
          if (result == null || result.failure().isEmpty()) {
            span.succeeded();
          } else {
            span.failed(result.failure().get(), false);
          }
        });
    core.freeIfOver(victim);
  }

  private static SandboxException full() {
    return SandboxException.builder(
            ErrorCode.TOO_MANY_PTYS,
            Operation.PTY_START,
            "all " + PtyRegistry.LIMIT + " PTYs are in use; terminate one")
        .retryable(Retryable.YES)
        .build();
  }
}
