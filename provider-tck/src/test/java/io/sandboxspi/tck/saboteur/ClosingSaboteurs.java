package io.sandboxspi.tck.saboteur;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.ArchiveSummary;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxListener;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.core.workspace.WorkspaceArchives;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.TerminationOutcome;
import io.sandboxspi.tck.SessionFactory;
import io.sandboxspi.tck.fault.FaultyProvider;
import io.sandboxspi.tck.plain.PlainProvider;
import java.io.InputStream;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import java.util.stream.Stream;

/** Engines whose closing steps go wrong. */
final class ClosingSaboteurs {
  private ClosingSaboteurs() {}

  /** Replaces directories behind the engine's back. */
  private static final class Unseen extends SessionWrapper {
    private final FaultyProvider provider;

    Unseen(SandboxSession session, FaultyProvider provider) {
      super(session);
      this.provider = provider;
    }

    @Override
    public SandboxFiles files() {
      return new FilesWrapper(super.files()) {
        @Override
        public ArchiveSummary hydrate(String path, InputStream archive, ArchiveLimits limits)
            throws InterruptedException {
          return WorkspaceArchives.hydrate(
              provider.backends().get(0).files(),
              path,
              archive,
              limits,
              WorkspaceArchives.OutsideLinks.REFUSE,
              Deadline.after(Duration.ofSeconds(30)));
        }
      };
    }
  }

  static Stream<Saboteur> all() {
    return Stream.of(
        Saboteur.engine(
                "a close that waits for its own listener",
                WaitsForListeners::open,
                "S_LIFE_05.*|S_LIFE_02.*",
                "S-LIFE-05")
            .timings(
                new CleanupTimings(
                    PlainProvider.TIMINGS.kill(),
                    PlainProvider.TIMINGS.join(),
                    PlainProvider.TIMINGS.finalDrain(),
                    Duration.ofSeconds(3))),
        Saboteur.session(
            "a start that survives a stop",
            (session, ledger) -> ResultSaboteurs.with(session, new Survives(session)),
            "S_LIFE_06_aStartBefore.*|S_LIFE_02.*",
            "S-LIFE-06"),
        Saboteur.engine(
            "a file call that no stop waits for",
            (provider, spec, options) -> {
              EngineSession session = EngineSession.open(provider, spec, options);
              return new SessionFactory.Opened(
                  new Unseen(session, (FaultyProvider) provider), () -> session.ledger().open());
            },
            "S_SNAP_0[19].*",
            "S-SNAP-09"),
        Saboteur.hearing(
            "a destroyed backend that proves nothing",
            Unproven::new,
            "S_CLEAN_08.*|S_CLEAN_09.*",
            "S-CLEAN-08"),
        Saboteur.hearing(
            "a late kill that hits everybody",
            provider -> new ProviderWrapper(provider, HitsAll::new),
            "S_CLEAN_10.*|S_CLEAN_09.*",
            "S-CLEAN-10"));
  }

  /** Ends its closing steps, one at a time, once no listener is inside. */
  private static final class WaitsForListeners extends ClosingWrapper {
    private final ReentrantLock alone = new ReentrantLock();
    private final AtomicInteger inside;

    private WaitsForListeners(SandboxSession delegate, AtomicInteger inside) {
      super(delegate);
      this.inside = inside;
    }

    static SessionFactory.Opened open(
        SandboxProvider provider,
        SandboxSpec spec,
        io.sandboxspi.core.session.EngineOptions options)
        throws InterruptedException {
      AtomicInteger inside = new AtomicInteger();
      SandboxSpec counted =
          HearingSaboteurs.hearing(
              spec,
              listener ->
                  (SandboxListener)
                      event -> {
                        int unused = inside.incrementAndGet();
                        try {
                          listener.onEvent(event);
                        } finally {
                          unused = inside.decrementAndGet();
                        }
                      });
      SessionFactory.Opened opened = SessionFactory.engine().open(provider, counted, options);
      return new SessionFactory.Opened(
          new WaitsForListeners(opened.session(), inside), opened.ledger());
    }

    /** Gives up in the end, for the kit's own clean-up. */
    @Override
    void end(Step step) throws InterruptedException {
      if (!alone.tryLock(15, TimeUnit.SECONDS)) {
        return;
      }
      try {
        step.run();
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(15);
        while (inside.get() > 0 && System.nanoTime() < end) {
          LockSupport.parkNanos(5_000_000);
        }
      } finally {
        alone.unlock();
      }
    }
  }

  /** A start that a stop has ended is made again. */
  private static final class Survives extends PtysWrapper {
    private final SandboxSession session;

    Survives(SandboxSession session) {
      super(session.ptys());
      this.session = session;
    }

    @Override
    public PtyUpdate start(PtyRequest request) throws InterruptedException {
      try {
        PtyUpdate update = super.start(request);
        return update.running() || !active() ? update : super.start(request);
      } catch (SandboxException e) {
        if (e.code() == ErrorCode.SESSION_CLOSED && active()) {
          return super.start(request);
        }
        throw e;
      }
    }

    private boolean active() {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(2);
      while (session.state() == SessionState.CLOSING && System.nanoTime() < end) {
        LockSupport.parkNanos(5_000_000);
      }
      return session.state() == SessionState.ACTIVE;
    }
  }

  /** Says nothing of the processes of a backend that is gone. */
  private static final class Unproven extends ProviderWrapper {
    Unproven(SandboxProvider delegate) {
      super(
          delegate,
          backend ->
              new BackendWrapper(backend) {
                @Override
                public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
                  ReleaseOutcome unused = super.release(deadline);
                  return ReleaseOutcome.DONE;
                }
              });
    }

    @Override
    public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
      ReleaseOutcome unused = super.delete(ref, deadline);
      return ReleaseOutcome.DONE;
    }
  }

  /** A kill that comes after its bound ends all that there is. */
  private static final class HitsAll extends BackendWrapper {
    private final Set<LaunchId> launched = ConcurrentHashMap.newKeySet();

    HitsAll(SandboxBackend delegate) {
      super(delegate);
    }

    @Override
    public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
        throws InterruptedException {
      launched.add(request.id());
      return super.launch(request, listener, deadline);
    }

    @Override
    public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
      TerminationOutcome outcome = super.kill(id, deadline);
      if (deadline.expired()) {
        for (LaunchId other : launched) {
          TerminationOutcome unused = super.kill(other, Deadline.after(Duration.ofSeconds(5)));
        }
      }
      return outcome;
    }
  }
}
