package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.Command;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Operation;
import io.sandboxspi.Ptys;
import io.sandboxspi.Registration;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.pty.PtyCleanupHelper;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.lang.ref.Reference;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The engine's session over any provider. Thread-safe. A session that is forgotten unclosed is
 * reported and closed (spec S-LIFE-07).
 */
public final class EngineSession implements SandboxSession {
  private static final Duration PROBE = Duration.ofSeconds(10);

  private final SessionCore core;
  private final SessionCloser closer;
  private final Commands commands;
  private final PtyService ptys;
  private final EngineFiles files;
  private final ResourceLedger ledger;

  private EngineSession(SessionCore core) {
    this.core = core;
    Launcher launcher = new Launcher(core);
    this.commands = new Commands(core, launcher);
    this.ptys = new PtyService(this, core, launcher);
    this.files = new EngineFiles(this, core);
    this.ledger = new ResourceLedger(core::resources);
    OpenSessions.Ticket ticket = OpenSessions.newTicket(core.id());
    this.closer =
        new SessionCloser(
            core,
            true,
            () -> {
              ticket.closed();
              core.retireIfOver();
            });
    SessionCloser shared = closer;
    ticket.open(this, () -> shared.request(SessionCloser.Goal.CLOSE));
  }

  /**
   * Makes a backend and opens a session on it.
   *
   * @throws io.sandboxspi.SandboxException what the provider refused or failed with
   * @throws InterruptedException when interrupted; a backend that comes late is deleted
   */
  public static EngineSession open(
      SandboxProvider provider, SandboxSpec spec, EngineOptions options)
      throws InterruptedException {
    try (Registration opening = OpenSessions.opening()) {
      return new EngineSession(SessionOpener.open(provider, spec, options));
    }
  }

  /** What the session owns now. */
  public ResourceLedger ledger() {
    return ledger;
  }

  @Override
  public String id() {
    return core.id();
  }

  @Override
  public String provider() {
    return core.provider().name();
  }

  @Override
  public Set<Capability> capabilities() {
    return core.capabilities();
  }

  @Override
  public BackendRef backend() {
    return core.backend().ref();
  }

  @Override
  public SessionState state() {
    return core.gate().state();
  }

  @Override
  public ExecResult exec(Command command) throws InterruptedException {
    try {
      return commands.exec(command);
    } finally {
      Reference.reachabilityFence(this);
    }
  }

  @Override
  public RunningCommand start(Command command) throws InterruptedException {
    return commands.start(this, command);
  }

  @Override
  public Ptys ptys() {
    return ptys;
  }

  @Override
  public SandboxFiles files() {
    return files;
  }

  @Override
  public Liveness probe() throws InterruptedException {
    return core.events()
        .call(
            Operation.PROBE,
            "",
            caller -> {
              core.gate().check(Operation.PROBE);
              SandboxBackend backend = core.backend();
              Deadline deadline = core.clock().deadline(PROBE);
              LaneTask<Liveness> task = core.work().call(() -> backend.probe(deadline));
              Caller.Wait wait = caller.await(task, deadline);
              if (wait == Caller.Wait.DONE) {
                // A probe that fails proves nothing.
                return task.handle((alive, failure) -> failure == null ? alive : Liveness.UNKNOWN)
                    .join();
              }
              task.interrupt();
              caller.throwIfCancelled(List.of());
              return Liveness.UNKNOWN;
            });
  }

  @Override
  public void stop() throws InterruptedException {
    end(Operation.STOP, SessionCloser.Goal.STOP);
  }

  @Override
  public void shutdown() throws InterruptedException {
    end(Operation.SHUTDOWN, SessionCloser.Goal.SHUTDOWN);
  }

  private void end(Operation operation, SessionCloser.Goal goal) throws InterruptedException {
    if (joinedFromInside(goal)) {
      return;
    }
    try (Registration mark = closer.enter()) {
      core.events()
          .run(
              operation,
              "",
              caller -> {
                List<Throwable> failures = settle(goal, caller);
                caller.throwIfCancelled(failures);
                PtyCleanupHelper.throwFirst(failures);
              });
    }
  }

  /** A call from a closing step asks for its goal and returns: it never waits for itself. */
  private boolean joinedFromInside(SessionCloser.Goal goal) {
    return closer.inside() && closer.request(goal) != null;
  }

  private List<Throwable> settle(SessionCloser.Goal goal, Caller caller) {
    CompletableFuture<Boolean> done = closer.request(goal);
    core.reached(HookPoint.SETTLE_BEFORE, "");
    caller.settle(done, core.clock().never());
    Throwable failure = done.handle((ok, thrown) -> thrown).join();
    return failure == null ? List.of() : List.of(failure);
  }

  @Override
  public void close() {
    if (closer.isDone() || joinedFromInside(SessionCloser.Goal.CLOSE)) {
      return;
    }
    try (Registration mark = closer.enter()) {
      core.events().settled(Operation.CLOSE, this::close);
    }
  }

  private void close(Caller caller) {
    // A cancellation from before is told by the call that it ended, not once more here.
    boolean before = caller.cancellation().isPresent();
    List<Throwable> failures = settle(SessionCloser.Goal.CLOSE, caller);
    if (!before) {
      caller.throwIfScopeCancelled(failures);
    }
    PtyCleanupHelper.throwFirst(failures);
  }

  @Override
  public String toString() {
    return "SandboxSession[" + id() + ", provider=" + provider() + ", " + state() + "]";
  }
}
