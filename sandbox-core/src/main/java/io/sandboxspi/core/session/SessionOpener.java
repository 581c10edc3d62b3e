package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
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
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes the backend of a session; one that comes after its caller has left is deleted. */
final class SessionOpener {
  private static final Logger LOG = LoggerFactory.getLogger(SessionOpener.class);

  private SessionOpener() {}

  static SessionCore open(SandboxProvider provider, SandboxSpec spec, EngineOptions options)
      throws InterruptedException {
    if (provider.availability() instanceof Availability.Unavailable unavailable) {
      throw SandboxException.builder(
              ErrorCode.PROVIDER_UNAVAILABLE,
              Operation.CREATE,
              "provider " + provider.name() + " cannot work here: " + unavailable.reason())
          .build();
    }
    // Asked before anything is made, for a provider that cannot answer.
    Set<Capability> capabilities = Set.copyOf(provider.capabilities());
    String id = UUID.randomUUID().toString().substring(0, 13);
    SessionEvents events = new SessionEvents(id, spec.listeners(), options.clock());
    boolean made = false;
    try {
      SandboxBackend backend =
          events.call(
              Operation.CREATE,
              provider.name(),
              caller -> create(provider, spec, options.clock(), id, caller));
      made = true;
      return new SessionCore(id, provider, capabilities, backend, spec, options, events);
    } finally {
      if (!made) {
        events.retire();
      }
    }
  }

  private static SandboxBackend create(
      SandboxProvider provider, SandboxSpec spec, EngineClock clock, String id, Caller caller)
      throws InterruptedException {
    Lane lane = Lane.platform("sandbox-" + id + "-create");
    try {
      Deadline deadline = clock.deadline(spec.createTimeout());
      LaneTask<SandboxBackend> task =
          lane.call(() -> provider.create(new BackendRequest(id, spec.options()), deadline));
      Caller.Wait wait = caller.await(task, deadline);
      if (wait != Caller.Wait.DONE) {
        Callback.when(
            task,
            (late, failure) -> {
              if (late != null) {
                lane.execute(() -> discard(provider, spec, clock, late));
              }
            });
        task.interrupt();
        caller.throwIfCancelled(List.of());
        throw SandboxException.builder(
                ErrorCode.CREATE_FAILED,
                Operation.CREATE,
                "provider " + provider.name() + " made no backend in " + spec.createTimeout())
            .retryable(Retryable.UNKNOWN)
            .build();
      }
      Throwable failure = task.handle((backend, thrown) -> thrown).join();
      if (failure instanceof SandboxException e) {
        throw e;
      }
      if (failure != null) {
        throw SandboxException.builder(
                ErrorCode.CREATE_FAILED,
                Operation.CREATE,
                "provider " + provider.name() + " failed to make a backend")
            .cause(failure)
            .retryable(Retryable.UNKNOWN)
            .build();
      }
      return task.join();
    } finally {
      lane.retire();
    }
  }

  private static void discard(
      SandboxProvider provider, SandboxSpec spec, EngineClock clock, SandboxBackend late) {
    try {
      late.release(clock.deadline(spec.timings().release()));
    } catch (InterruptedException | RuntimeException e) {
      LOG.warn("a backend that came late could not be released: {}", late.ref(), e);
    }
    try {
      provider.delete(late.ref(), clock.deadline(spec.timings().release()));
    } catch (InterruptedException | RuntimeException e) {
      LOG.error("a backend that came late could not be deleted: {}", late.ref(), e);
    }
  }
}
