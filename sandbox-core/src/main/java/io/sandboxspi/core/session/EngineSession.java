package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.Command;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Manifest;
import io.sandboxspi.Operation;
import io.sandboxspi.Ptys;
import io.sandboxspi.Registration;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.manifest.ManifestApplier;
import io.sandboxspi.core.manifest.ManifestUsers;
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
import java.util.function.Supplier;

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
            core.owned(),
            () -> {
              ticket.closed();
              core.retireIfOver();
            });
    SessionCloser shared = closer;
    // What the session did not make it leaves as it is when nobody asks for more.
    ticket.open(this, () -> core.owned() ? shared.request(ClosingRun.Goal.CLOSE) : shared.detach());
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
      EngineSession session = new EngineSession(SessionOpener.of(provider, spec, options).open());
      session.fill(spec.manifest(), false);
      return session;
    }
  }

  /** Puts what the manifest says into the workspace; a session that cannot have it is closed. */
  private void fill(Manifest manifest, boolean ephemeralOnly) throws InterruptedException {
    boolean entries =
        ephemeralOnly ? !manifest.ephemeralPaths().isEmpty() : !manifest.entries().isEmpty();
    try {
      if (!manifest.users().isEmpty()) {
        core.require(Capability.USERS, Operation.MANIFEST_APPLY);
        ManifestUsers.make(manifest.users(), commands::exec);
      }
      if (!entries) {
        return;
      }
      new FileCalls(core)
          .run(
              Operation.MANIFEST_APPLY,
              SandboxPath.Use.WRITE,
              ".",
              FileCalls.TRANSFER,
              (all, path, deadline) ->
                  ManifestApplier.apply(all, manifest, ephemeralOnly, core.work(), deadline));
    } catch (InterruptedException | RuntimeException e) {
      try {
        close();
      } catch (RuntimeException failed) {
        if (failed != e) {
          e.addSuppressed(failed);
        }
      }
      throw e;
    }
  }

  /**
   * Opens a session from a checkpoint.
   *
   * @param back whether the workspace is put back to the checkpoint's snapshot also if the backend
   *     lives
   * @throws io.sandboxspi.SandboxException see {@code Sandboxes.resume}
   * @throws InterruptedException when interrupted; a replacement that comes late is deleted
   */
  public static EngineSession resume(
      SandboxProvider provider,
      Checkpoint checkpoint,
      SandboxSpec spec,
      boolean back,
      EngineOptions options)
      throws InterruptedException {
    try (Registration opening = OpenSessions.opening()) {
      EngineSession session =
          new EngineSession(
              SessionResumer.resume(SessionOpener.of(provider, spec, options), checkpoint, back));
      session.fill(spec.manifest(), true);
      return session;
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
  public Endpoint endpoint(int port) throws InterruptedException {
    return Endpoints.find(core, port);
  }

  @Override
  public Checkpoint stop() throws InterruptedException {
    if (end(Operation.STOP, () -> closer.request(ClosingRun.Goal.STOP))) {
      return closer.checkpoint(true);
    }
    throw LiveLineages.pending(Operation.STOP);
  }

  @Override
  public Checkpoint checkpoint() {
    return core.events().brief(Operation.CHECKPOINT, "", () -> closer.checkpoint(false));
  }

  @Override
  public Checkpoint detach() throws InterruptedException {
    core.require(Capability.REATTACH, Operation.DETACH);
    if (end(Operation.DETACH, closer::detach)) {
      return closer.checkpoint(false);
    }
    throw LiveLineages.pending(Operation.DETACH);
  }

  @Override
  public void shutdown() throws InterruptedException {
    boolean unused = end(Operation.SHUTDOWN, () -> closer.request(ClosingRun.Goal.SHUTDOWN));
  }

  @Override
  public void delete() throws InterruptedException {
    boolean unused = end(Operation.DELETE, closer::discard);
  }

  /**
   * A call from a closing step asks and returns whether that is done: it never waits for itself.
   */
  private boolean end(Operation operation, Supplier<CompletableFuture<Boolean>> request)
      throws InterruptedException {
    if (closer.inside()) {
      CompletableFuture<Boolean> asked = request.get();
      return asked.isDone() && !asked.isCompletedExceptionally() && !closer.pending();
    }
    try (Registration mark = closer.enter()) {
      core.events()
          .run(
              operation,
              "",
              caller -> {
                List<Throwable> failures = settle(request, caller);
                caller.throwIfCancelled(failures);
                PtyCleanupHelper.throwFirst(failures);
              });
      return true;
    }
  }

  private List<Throwable> settle(Supplier<CompletableFuture<Boolean>> request, Caller caller) {
    CompletableFuture<Boolean> done = request.get();
    core.reached(HookPoint.SETTLE_BEFORE, "");
    caller.settle(done, core.clock().never());
    Throwable failure = done.handle((ok, thrown) -> thrown).join();
    return failure == null ? List.of() : List.of(failure);
  }

  @Override
  public void close() {
    if (closer.isDone()) {
      return;
    }
    if (closer.inside()) {
      CompletableFuture<Boolean> unused = closer.request(ClosingRun.Goal.CLOSE);
      return;
    }
    try (Registration mark = closer.enter()) {
      core.events().settled(Operation.CLOSE, this::close);
    }
  }

  private void close(Caller caller) {
    // A cancellation from before is told by the call that it ended, not once more here.
    boolean before = caller.cancellation().isPresent();
    List<Throwable> failures = settle(() -> closer.request(ClosingRun.Goal.CLOSE), caller);
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
