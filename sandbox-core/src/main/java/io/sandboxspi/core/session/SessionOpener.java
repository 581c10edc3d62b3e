package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.manifest.ManifestEnvironment;
import io.sandboxspi.core.snapshot.SnapshotStores;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.SnapshotStore;
import java.time.Duration;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the backend of a session; one that comes after its caller has left is deleted. */
final class SessionOpener {
  private static final Logger LOG = LoggerFactory.getLogger(SessionOpener.class);

  private final SandboxProvider provider;
  private final SandboxSpec spec;
  private final EngineOptions options;
  private final String id = UUID.randomUUID().toString().substring(0, 13);
  private final SessionEvents events;
  private final Set<Capability> capabilities;

  private SessionOpener(SandboxProvider provider, SandboxSpec spec, EngineOptions options)
      throws InterruptedException {
    ProviderFacts facts = ProviderFacts.ask(provider);
    if (facts.availability() instanceof Availability.Unavailable unavailable) {
      throw SandboxException.builder(
              ErrorCode.PROVIDER_UNAVAILABLE,
              Operation.CREATE,
              "provider " + provider.name() + " cannot work here: " + unavailable.reason())
          .build();
    }
    this.provider = provider;
    this.spec = spec;
    this.options = options;
    this.events = new SessionEvents(id, spec.listeners(), options.clock());
    this.capabilities = facts.capabilities();
    if (!spec.manifest().users().isEmpty() && !capabilities.contains(Capability.USERS)) {
      throw SandboxException.builder(
              ErrorCode.UNSUPPORTED,
              Operation.CREATE,
              "provider "
                  + provider.name()
                  + " does not have USERS, which the manifest's users need: "
                  + spec.manifest().users())
          .context("capability", Capability.USERS)
          .build();
    }
  }

  /**
   * A backend and what it can be resumed from.
   *
   * @param made whether it was made for the session
   */
  record Source(SandboxBackend backend, Recovery recovery, boolean made) {}

  static SessionOpener of(SandboxProvider provider, SandboxSpec spec, EngineOptions options)
      throws InterruptedException {
    return new SessionOpener(provider, spec, options);
  }

  SessionCore open() throws InterruptedException {
    Optional<SnapshotStore> store = SnapshotStores.open(spec.snapshots());
    return core(
        Operation.CREATE,
        provider.name(),
        caller ->
            new Source(
                make(caller, request(), provider::create, Operation.CREATE),
                new Recovery(id, store, 0),
                true));
  }

  /** Gets a backend in one operation; nothing of this side is left if that fails. */
  SessionCore core(Operation operation, String subject, SessionEvents.Call<Source> getting)
      throws InterruptedException {
    boolean done = false;
    Map<String, String> environment = new HashMap<>();
    try {
      Source source =
          events.call(
              operation,
              subject,
              caller -> {
                environment.putAll(variables(caller, operation));
                return getting.run(caller);
              });
      environment.putAll(spec.environment());
      done = true;
      Set<Capability> had = new HashSet<>(capabilities);
      had.removeAll(source.backend().lacks());
      return new SessionCore(
          id,
          provider,
          Set.copyOf(had),
          source.backend(),
          spec,
          environment,
          options,
          events,
          source.recovery(),
          source.made());
    } finally {
      if (!done) {
        events.retire();
      }
    }
  }

  /** The manifest's; before anything is made. */
  private Map<String, String> variables(Caller caller, Operation operation)
      throws InterruptedException {
    if (spec.manifest().environment().isEmpty()) {
      return Map.of();
    }
    return within(
        caller,
        spec.createTimeout(),
        spec.manifest(),
        (manifest, deadline) -> ManifestEnvironment.resolve(manifest),
        operation,
        late -> LOG.debug("variables that nobody waits for any more"),
        "the manifest's variables");
  }

  SandboxProvider provider() {
    return provider;
  }

  SandboxSpec spec() {
    return spec;
  }

  EngineClock clock() {
    return options.clock();
  }

  Set<Capability> capabilities() {
    return capabilities;
  }

  /** For a backend of this session. */
  BackendRequest request() {
    return new BackendRequest(
        id,
        spec.options(),
        spec.durable(),
        sentence -> events.progress(Operation.CREATE, sentence));
  }

  /** A call that makes something. */
  interface Making<A, T> {
    T run(A argument, Deadline deadline) throws InterruptedException;
  }

  /** Makes a backend within the limit for it; one that comes late is deleted. */
  <A> SandboxBackend make(
      Caller caller, A argument, Making<A, SandboxBackend> making, Operation operation)
      throws InterruptedException {
    return within(
        caller, spec.createTimeout(), argument, making, operation, this::discard, "a backend");
  }

  /**
   * Makes a call on a thread of its own, within a limit and the caller's own.
   *
   * @param late what becomes of an answer that nobody waits for any more
   */
  <A, T> T within(
      Caller caller,
      Duration limit,
      A argument,
      Making<A, T> making,
      Operation operation,
      java.util.function.Consumer<T> late,
      String what)
      throws InterruptedException {
    Lane lane = Lane.platform("sandbox-" + id + "-create");
    try {
      Deadline deadline = options.clock().deadline(limit);
      LaneTask<T> task = lane.call(() -> making.run(argument, deadline));
      Caller.Wait wait = caller.await(task, deadline);
      if (wait != Caller.Wait.DONE) {
        Callback.when(
            task,
            (answer, failure) -> {
              if (answer != null) {
                lane.execute(() -> late.accept(answer));
              }
            });
        task.interrupt();
        caller.throwIfCancelled(List.of());
        throw SandboxException.builder(
                ErrorCode.CREATE_FAILED,
                operation,
                "provider " + provider.name() + " did not give " + what + " in " + limit)
            .retryable(Retryable.UNKNOWN)
            .build();
      }
      Throwable failure = task.handle((answer, thrown) -> thrown).join();
      if (failure instanceof SandboxException e) {
        throw e;
      }
      if (failure != null) {
        throw SandboxException.builder(
                ErrorCode.CREATE_FAILED,
                operation,
                "provider " + provider.name() + " failed to give " + what)
            .cause(failure)
            .retryable(Retryable.UNKNOWN)
            .build();
      }
      return task.join();
    } finally {
      lane.retire();
    }
  }

  /** Removes a backend that nobody has, whatever it takes; failures are told in the log. */
  void discard(SandboxBackend backend) {
    Duration limit = spec.timings().release();
    try {
      Object unused = backend.release(options.clock().deadline(limit));
    } catch (InterruptedException | RuntimeException e) {
      LOG.warn("a backend that nobody has could not be released: {}", backend.ref(), e);
    }
    try {
      Object unused = provider.delete(backend.ref(), options.clock().deadline(limit));
    } catch (InterruptedException | RuntimeException e) {
      LOG.error("a backend that nobody has could not be deleted: {}", backend.ref(), e);
    }
  }
}
