package io.sandboxspi.tck.saboteur;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.Snapshot;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.core.snapshot.SnapshotStores;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.TerminationOutcome;
import io.sandboxspi.tck.SessionFactory;
import io.sandboxspi.tck.plain.PlainProvider;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Stream;

/** Broken snapshots, checkpoints, resumes and endings. */
final class RecoverySaboteurs {
  private RecoverySaboteurs() {}

  static Stream<Saboteur> all() {
    return Stream.of(
        Saboteur.engine(
            "a snapshot over a survivor",
            (provider, spec, options) -> {
              EngineSession session = EngineSession.open(provider, spec, options);
              return new SessionFactory.Opened(
                  new SavesAnyway(session, spec), () -> session.ledger().open());
            },
            "S_SNAP_02.*",
            "S-SNAP-02"),
        Saboteur.session(
            "a backend deleted before its snapshot is definitive",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public void close() {
                    try {
                      super.close();
                    } catch (SandboxException e) {
                      if (e.code() == ErrorCode.SNAPSHOT_FAILED) {
                        deleteQuietly(delegate);
                      }
                      throw e;
                    }
                  }
                },
            "S_SNAP_0[24].*",
            "S-SNAP-04"),
        Saboteur.store(
            "a torn snapshot that is accepted", KeepsTheTorn::new, "S_SNAP_0[14].*", "S-SNAP-03"),
        Saboteur.session(
            "a stop that saves once",
            (session, ledger) -> {
              AtomicReference<Checkpoint> first = new AtomicReference<>();
              return new SessionWrapper(session) {
                @Override
                public Checkpoint stop() throws InterruptedException {
                  Checkpoint known = first.get();
                  if (known != null) {
                    delegate.ptys().terminateAll();
                    return known;
                  }
                  first.set(super.stop());
                  return first.get();
                }
              };
            },
            "S_SNAP_01.*|S_LIFE_02.*",
            "S-SNAP-01"),
        Saboteur.session(
            "a pending checkpoint that is handed out",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public Checkpoint checkpoint() {
                    try {
                      return super.checkpoint();
                    } catch (SandboxException pending) {
                      return Checkpoint.of(provider(), id(), 1).backend(backend());
                    }
                  }
                },
            "S_SNAP_02.*|S_RESUME_01.*",
            "S-RESUME-01"),
        Saboteur.engine(
            "a stale snapshot that is accepted", new Stale(), "S_RESUME_02.*", "S-RESUME-02"),
        Saboteur.engine(
            "a look-up error taken for gone",
            hearing(
                provider ->
                    new ProviderWrapper(provider, backend -> backend) {
                      @Override
                      public SandboxBackend attach(BackendRef ref, Deadline deadline)
                          throws InterruptedException {
                        try {
                          return super.attach(ref, deadline);
                        } catch (SandboxException e) {
                          throw SandboxException.of(
                              ErrorCode.BACKEND_GONE, Operation.RESUME, "not found");
                        }
                      }
                    }),
            "S_RESUME_0[23].*",
            "S-RESUME-03"),
        Saboteur.engine(
            "a replacement that is left behind",
            hearing(
                provider ->
                    new ProviderWrapper(provider, backend -> backend) {
                      @Override
                      public ReleaseOutcome delete(BackendRef ref, Deadline deadline) {
                        return ReleaseOutcome.DESTROYED;
                      }
                    }),
            "S_RESUME_0[46].*",
            "S-RESUME-06"),
        Saboteur.engine(
            "a workspace that is not put back",
            new Resuming() {
              @Override
              public Opened resume(
                  SandboxProvider provider,
                  Checkpoint checkpoint,
                  SandboxSpec spec,
                  boolean back,
                  EngineOptions options)
                  throws InterruptedException {
                return super.resume(provider, checkpoint, spec, false, options);
              }
            },
            "S_RESUME_0[34].*",
            "S-RESUME-04"),
        Saboteur.provider(
            "a backend that leaves others running",
            backend ->
                new BackendWrapper(backend) {
                  @Override
                  public TerminationOutcome killOthers(Deadline deadline) {
                    return TerminationOutcome.alreadyGone();
                  }
                },
            "S_SNAP_0[28].*",
            "S-SNAP-08"),
        Saboteur.session(
            "a detachment that deletes",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public Checkpoint detach() throws InterruptedException {
                    Checkpoint checkpoint = super.checkpoint();
                    super.delete();
                    return checkpoint;
                  }
                },
            "S_LIFE_11_a.*|S_LIFE_10.*",
            "S-LIFE-11"),
        Saboteur.session(
            "a deletion that waits for a snapshot",
            (session, ledger) ->
                new SessionWrapper(session) {
                  @Override
                  public void delete() {
                    super.close();
                  }
                },
            "S_LIFE_10.*|S_LIFE_02.*",
            "S-LIFE-10"),
        Saboteur.engine(
            "a port that nobody declared",
            (provider, spec, options) -> {
              EngineSession session = EngineSession.open(provider, spec, options);
              SandboxSession broken =
                  new SessionWrapper(session) {
                    @Override
                    public Endpoint endpoint(int port) {
                      return Endpoint.plain("127.0.0.1", port);
                    }
                  };
              return new SessionFactory.Opened(broken, () -> session.ledger().open());
            },
            new Ported(new PlainProvider()),
            "S_PORT_01.*|S_LIFE_02.*",
            "S-PORT-01"));
  }

  private static void deleteQuietly(SandboxSession session) {
    try {
      session.delete();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static SessionFactory hearing(java.util.function.UnaryOperator<SandboxProvider> wrap) {
    return new Resuming() {
      @Override
      SandboxProvider heard(SandboxProvider provider) {
        return wrap.apply(provider);
      }
    };
  }

  /** The engine, over something else. */
  private static class Resuming implements SessionFactory {
    SandboxProvider heard(SandboxProvider provider) {
      return provider;
    }

    @Override
    public Opened open(SandboxProvider provider, SandboxSpec spec, EngineOptions options)
        throws InterruptedException {
      return SessionFactory.engine().open(heard(provider), spec, options);
    }

    @Override
    public Opened resume(
        SandboxProvider provider,
        Checkpoint checkpoint,
        SandboxSpec spec,
        boolean back,
        EngineOptions options)
        throws InterruptedException {
      return SessionFactory.engine().resume(heard(provider), checkpoint, spec, back, options);
    }
  }

  /** Any snapshot will do. */
  private static final class Stale extends Resuming {
    @Override
    public Opened resume(
        SandboxProvider provider,
        Checkpoint checkpoint,
        SandboxSpec spec,
        boolean back,
        EngineOptions options)
        throws InterruptedException {
      try {
        return super.resume(provider, checkpoint, spec, back, options);
      } catch (SandboxException e) {
        if (e.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
          throw e;
        }
        Checkpoint any = Checkpoint.of(checkpoint.provider(), checkpoint.lineage(), 0);
        return super.resume(provider, any, spec, back, options);
      }
    }
  }

  /** Saves also when it must not. */
  private static final class SavesAnyway extends SessionWrapper {
    private final SandboxSpec spec;

    SavesAnyway(SandboxSession delegate, SandboxSpec spec) {
      super(delegate);
      this.spec = spec;
    }

    @Override
    public Checkpoint stop() throws InterruptedException {
      try {
        return super.stop();
      } catch (RuntimeException e) {
        save();
        throw e;
      }
    }

    private void save() throws InterruptedException {
      Object unused =
          SnapshotStores.open(spec.snapshots().store(), spec.snapshots().options())
              .save(
                  new SnapshotStore.Draft(id(), 0, Snapshot.Kind.ARCHIVE, Map.of()),
                  out -> "",
                  Deadline.after(Duration.ofSeconds(5)));
    }
  }

  /** Keeps what was written until it broke off. */
  private record KeepsTheTorn(SnapshotStore delegate) implements SnapshotStore {
    @Override
    public Snapshot save(Draft draft, Content content, Deadline deadline)
        throws InterruptedException {
      AtomicReference<IOException> broken = new AtomicReference<>();
      Snapshot saved =
          delegate.save(
              draft,
              out -> {
                try {
                  return content.writeTo(out);
                } catch (IOException e) {
                  broken.set(e);
                  return "";
                }
              },
              deadline);
      if (broken.get() != null) {
        throw SandboxException.builder(
                ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT, "it broke off")
            .cause(broken.get())
            .build();
      }
      return saved;
    }

    @Override
    public List<Snapshot> list(String lineage, Deadline deadline) throws InterruptedException {
      return delegate.list(lineage, deadline);
    }

    @Override
    public InputStream open(Snapshot snapshot, Deadline deadline) throws InterruptedException {
      return delegate.open(snapshot, deadline);
    }

    @Override
    public void delete(Snapshot snapshot, Deadline deadline) throws InterruptedException {
      delegate.delete(snapshot, deadline);
    }
  }

  /** One port. */
  private static final class Ported extends ProviderWrapper {
    private final SandboxProvider below;

    Ported(SandboxProvider below) {
      super(
          below,
          backend ->
              new BackendWrapper(backend) {
                @Override
                public Set<Integer> ports() {
                  return Set.of(8_080);
                }

                @Override
                public Endpoint endpoint(int port, Deadline deadline) {
                  return Endpoint.plain("127.0.0.1", port);
                }
              });
      this.below = below;
    }

    @Override
    public Set<Capability> capabilities() {
      EnumSet<Capability> all = EnumSet.copyOf(below.capabilities());
      all.add(Capability.PORTS);
      return all;
    }
  }
}
