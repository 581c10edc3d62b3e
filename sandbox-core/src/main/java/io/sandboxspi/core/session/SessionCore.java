package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.pty.CleanupResult;
import io.sandboxspi.core.pty.PtyCleanupHelper;
import io.sandboxspi.core.pty.PtyRegistry;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * What the parts of one session share. Holds no reference to the session that a runtime sees, so
 * that a forgotten session can be found.
 */
final class SessionCore implements ProcessEntry.Owner {
  private final String id;
  private final SandboxProvider provider;
  private final Set<Capability> capabilities;
  private final SandboxBackend backend;
  private final SandboxSpec spec;
  private final Map<String, String> environment;
  private final EngineOptions options;
  private final SessionEvents events;
  private final Recovery recovery;
  private final boolean owned;
  private final Gate gate = new Gate();
  private final Changes changes = new Changes();
  private final Lane launches;
  private final Lane work;
  private final Lane cleanup;
  private final PtyRegistry<PtyEntry> registry;
  private final PtyCleanupHelper<ProcessEntry> helper;
  private final Finalizer finalizer;
  private final List<Runnable> endWatchers = new CopyOnWriteArrayList<>();
  private volatile boolean ending;

  SessionCore(
      String id,
      SandboxProvider provider,
      Set<Capability> capabilities,
      SandboxBackend backend,
      SandboxSpec spec,
      Map<String, String> environment,
      EngineOptions options,
      SessionEvents events,
      Recovery recovery,
      boolean owned) {
    this.id = id;
    this.provider = provider;
    this.capabilities = capabilities;
    this.backend = backend;
    this.spec = spec;
    this.environment = Map.copyOf(environment);
    this.options = options;
    this.events = events;
    this.recovery = recovery;
    this.owned = owned;
    this.launches = Lane.platform("sandbox-" + id + "-launch");
    this.work = Lane.light("sandbox-" + id + "-work");
    this.cleanup = Lane.platform("sandbox-" + id + "-cleanup");
    this.registry = new PtyRegistry<>(options.ptyIds(), PtyEntry::exited);
    this.helper =
        new PtyCleanupHelper<>(new EngineCleanup(this), spec.timings(), cleanup, options.clock());
    this.finalizer = new Finalizer(this);
  }

  String id() {
    return id;
  }

  SandboxProvider provider() {
    return provider;
  }

  Set<Capability> capabilities() {
    return capabilities;
  }

  SandboxBackend backend() {
    return backend;
  }

  SandboxSpec spec() {
    return spec;
  }

  /** Variables of every process: the manifest's, and over them the spec's. */
  Map<String, String> environment() {
    return environment;
  }

  EngineClock clock() {
    return options.clock();
  }

  SessionEvents events() {
    return events;
  }

  /** Whether the session made the backend. */
  boolean owned() {
    return owned;
  }

  Recovery recovery() {
    return recovery;
  }

  Gate gate() {
    return gate;
  }

  /** The calls that change files and are under way. */
  Changes changes() {
    return changes;
  }

  /** For launches: a native one would hold the carrier of a virtual thread (spec S-SPI-07). */
  Lane launches() {
    return launches;
  }

  /** For calls to the backend that are neither launches nor cleanup. */
  Lane work() {
    return work;
  }

  /** Reserved for cleanup. */
  Lane cleanup() {
    return cleanup;
  }

  PtyRegistry<PtyEntry> registry() {
    return registry;
  }

  PtyCleanupHelper<ProcessEntry> helper() {
    return helper;
  }

  /** Whether the calling thread is in a closing step, which never waits for itself. */
  boolean insideClosing() {
    return events.closing().inside();
  }

  /** Marks the calling thread as being in a closing step until the mark is closed. */
  Registration enterClosing() {
    return events.closing().enter();
  }

  void reached(HookPoint point, String launchId) {
    options.hooks().reached(point, launchId);
  }

  void require(Capability capability, Operation operation) {
    if (!capabilities.contains(capability)) {
      throw SandboxException.builder(
              ErrorCode.UNSUPPORTED,
              operation,
              "provider " + provider.name() + " does not have " + capability)
          .context("capability", capability)
          .build();
    }
  }

  /** Another user, if one is named, needs a capability (spec S-USER-01). */
  void require(Optional<String> user, Operation operation) {
    if (user.isPresent()) {
      require(Capability.USERS, operation);
    }
  }

  /** Ends processes: the one door to the helper. The futures never fail and are bounded. */
  List<CompletableFuture<CleanupResult>> end(List<? extends ProcessEntry> entries) {
    entries.forEach(ProcessEntry::kill);
    return finish(entries);
  }

  /** Cleans up after processes that have ended by themselves. */
  List<CompletableFuture<CleanupResult>> finish(List<? extends ProcessEntry> entries) {
    List<ProcessEntry> batch = new ArrayList<>(entries);
    List<CompletableFuture<CleanupResult>> attempts = helper.begin(batch);
    for (int i = 0; i < batch.size(); i++) {
      ProcessEntry entry = batch.get(i);
      Callback.when(
          attempts.get(i),
          (result, bug) -> settled(entry, result == null ? Optional.empty() : result.failure()));
    }
    return attempts;
  }

  private void settled(ProcessEntry entry, Optional<Throwable> failure) {
    entry.cleanupSettled(failure);
    if (entry instanceof PtyEntry pty) {
      tellEnd(pty);
    }
  }

  @Override
  public void draining(ProcessEntry entry) {
    entry.keep(
        clock()
            .schedule(
                spec.timings().finalDrain(),
                () -> {
                  if (entry.backlogged()) {
                    draining(entry);
                  } else {
                    entry.drainOver();
                  }
                }));
  }

  @Override
  public void finished(ProcessEntry entry) {
    if (entry instanceof CommandEntry command) {
      command.completeNormally();
    } else if (entry instanceof PtyEntry pty) {
      tellEnd(pty);
    }
    // Not while it opens: a backend refuses a launch whose id is killed meanwhile.
    Callback.when(entry.attached(), (ok, failure) -> finalizer.add(entry));
  }

  private void tellEnd(PtyEntry entry) {
    // Each on a thread of its own: one that throws or blocks is no reason to tell another late.
    entry.tellEnd().forEach(listener -> work.execute(() -> listener.accept(entry.end())));
  }

  /** A shutdown or close has begun: calls that are under way end with the session. */
  void end() {
    ending = true;
    endWatchers.forEach(Runnable::run);
  }

  boolean ending() {
    return ending;
  }

  /** Tells of {@link #end()} until the registration is closed. */
  Registration watchingEnd(Runnable watcher) {
    endWatchers.add(watcher);
    return () -> endWatchers.remove(watcher);
  }

  /** Frees the id of a PTY once nothing of it is left. */
  void freeIfOver(PtyEntry entry) {
    int ptyId = entry.ptyId();
    if (ptyId != 0 && helper.isClosed(entry)) {
      registry.free(ptyId, entry);
    }
  }

  /** Lets the threads go once the session is closed and owns nothing. */
  void retireIfOver() {
    if (gate.state() == SessionState.CLOSED && helper.owned().isEmpty()) {
      launches.retire();
      work.retire();
      cleanup.retire();
      events.retire();
    }
  }

  List<ResourceLedger.Resource> resources() {
    List<ResourceLedger.Resource> open = new ArrayList<>();
    for (ProcessEntry entry : helper.owned()) {
      String state =
          helper.isClosing(entry) ? "closing" : entry.exited() ? "exited" : "live or opening";
      open.add(new ResourceLedger.Resource("PROCESS", entry.id().value(), state));
    }
    for (Integer ptyId : registry.reserved()) {
      open.add(new ResourceLedger.Resource("PTY_ID", ptyId.toString(), "reserved"));
    }
    return open;
  }
}
