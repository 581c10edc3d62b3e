package io.sandboxspi.tck.saboteur;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Ptys;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.core.session.ResourceLedger;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.tck.SessionFactory;
import io.sandboxspi.tck.TckEnvironment;
import io.sandboxspi.tck.plain.PlainProvider;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.TreeSet;
import java.util.function.BiFunction;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;

/**
 * Something broken, and what the kit must say of it.
 *
 * @param name what is broken
 * @param environment runs against it
 * @param tests a pattern of the test methods to run: those that must fail and some that must not
 * @param breaks the rules that must be found broken; no other may be
 */
record Saboteur(String name, TckEnvironment environment, String tests, Set<String> breaks) {
  /** Not so patient: most of these wait for something that never comes. */
  private static final Duration SLACK = Duration.ofMillis(2500);

  private static Saboteur of(
      String name, TckEnvironment environment, String tests, String... breaks) {
    return new Saboteur(
        name,
        environment.timings(PlainProvider.TIMINGS).slack(SLACK).withoutDescriptorAudit(),
        tests,
        new TreeSet<>(List.of(breaks)));
  }

  /** A provider that is broken, below the faults. */
  static Saboteur provider(
      String name, UnaryOperator<SandboxBackend> wrap, String tests, String... breaks) {
    return provider(name, new ProviderWrapper(new PlainProvider(), wrap), tests, breaks);
  }

  static Saboteur provider(String name, SandboxProvider provider, String tests, String... breaks) {
    return of(name, TckEnvironment.of(provider), tests, breaks);
  }

  /** An engine that hears something else than the provider says: a break above the faults. */
  static Saboteur hearing(
      String name, UnaryOperator<SandboxProvider> wrap, String tests, String... breaks) {
    return engine(
        name,
        (provider, spec, options) ->
            SessionFactory.engine().open(wrap.apply(provider), spec, options),
        tests,
        breaks);
  }

  /** A session that is broken. */
  static Saboteur session(
      String name,
      BiFunction<SandboxSession, Supplier<List<ResourceLedger.Resource>>, SandboxSession> wrap,
      String tests,
      String... breaks) {
    return engine(
        name,
        (provider, spec, options) -> {
          EngineSession session = EngineSession.open(provider, spec, options);
          Supplier<List<ResourceLedger.Resource>> ledger = () -> session.ledger().open();
          return new SessionFactory.Opened(wrap.apply(session, ledger), ledger);
        },
        tests,
        breaks);
  }

  /** A session whose PTYs are broken. */
  static Saboteur ptys(String name, UnaryOperator<Ptys> wrap, String tests, String... breaks) {
    return session(
        name,
        (session, ledger) -> {
          Ptys ptys = wrap.apply(session.ptys());
          return new SessionWrapper(session) {
            @Override
            public Ptys ptys() {
              return ptys;
            }
          };
        },
        tests,
        breaks);
  }

  /** A session whose files are broken. */
  static Saboteur files(
      String name, UnaryOperator<SandboxFiles> wrap, String tests, String... breaks) {
    return session(
        name,
        (session, ledger) ->
            new SessionWrapper(session) {
              @Override
              public SandboxFiles files() {
                return wrap.apply(super.files());
              }
            },
        tests,
        breaks);
  }

  /** A session that is made from another spec. */
  static Saboteur spec(
      String name, UnaryOperator<SandboxSpec> wrap, String tests, String... breaks) {
    return engine(
        name,
        (provider, spec, options) ->
            SessionFactory.engine().open(provider, wrap.apply(spec), options),
        tests,
        breaks);
  }

  /** A snapshot store that is broken, below the faults. */
  static Saboteur store(
      String name, UnaryOperator<SnapshotStore> wrap, String tests, String... breaks) {
    return of(name, TckEnvironment.of(new PlainProvider()).snapshots(wrap), tests, breaks);
  }

  /** An engine that is made in another way, over another provider. */
  static Saboteur engine(
      String name,
      SessionFactory factory,
      SandboxProvider provider,
      String tests,
      String... breaks) {
    return of(name, TckEnvironment.of(provider).sessions(factory), tests, breaks);
  }

  /** An engine that is made in another way. */
  static Saboteur engine(String name, SessionFactory factory, String tests, String... breaks) {
    return of(name, TckEnvironment.of(new PlainProvider()).sessions(factory), tests, breaks);
  }

  /** With other bounds, where the longest of them has to pass. */
  Saboteur timings(CleanupTimings timings) {
    return new Saboteur(name, environment.timings(timings), tests, breaks);
  }

  @Override
  public String toString() {
    return name;
  }
}
