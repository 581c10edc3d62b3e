package io.sandboxspi.tck;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.SnapshotStore;
import java.time.Duration;
import java.util.Map;
import java.util.Objects;
import java.util.function.UnaryOperator;

/**
 * What the kit runs against. Immutable: each method returns a changed copy.
 *
 * <p>The sandbox needs a POSIX {@code sh} with the usual small tools ({@code cat}, {@code sleep}
 * with fractions, {@code seq}, {@code head}, {@code od}).
 */
public final class TckEnvironment {
  /** Short, so that a stall costs seconds; no assertion is tighter than these plus the slack. */
  static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofMillis(2000),
          Duration.ofMillis(500),
          Duration.ofMillis(800),
          Duration.ofSeconds(10));

  private static final CleanupTimings FAR =
      new CleanupTimings(
          Duration.ofMillis(4000),
          Duration.ofMillis(500),
          Duration.ofMillis(800),
          Duration.ofSeconds(10));

  private final SandboxProvider provider;
  private final Map<String, String> options;
  private final CleanupTimings timings;
  private final Duration slack;
  private final SessionFactory sessions;
  private final boolean audit;
  private final UnaryOperator<SnapshotStore> snapshots;

  private TckEnvironment(
      SandboxProvider provider,
      Map<String, String> options,
      CleanupTimings timings,
      Duration slack,
      SessionFactory sessions,
      boolean audit,
      UnaryOperator<SnapshotStore> snapshots) {
    this.provider = Objects.requireNonNull(provider, "provider");
    this.options = Map.copyOf(options);
    this.timings = timings;
    this.slack = slack;
    this.sessions = sessions;
    this.audit = audit;
    this.snapshots = snapshots;
  }

  /** A provider with its default options. */
  public static TckEnvironment of(SandboxProvider provider) {
    return new TckEnvironment(
        provider,
        Map.of(),
        TIMINGS,
        Duration.ofSeconds(5),
        SessionFactory.engine(),
        true,
        UnaryOperator.identity());
  }

  /**
   * For a provider behind a network: its kills may take a little longer, and descriptors are not
   * counted, because idle connections are some. Its tests may run in parallel.
   */
  public TckEnvironment far() {
    return timings(FAR).slack(Duration.ofSeconds(10)).withoutDescriptorAudit();
  }

  /** Options for every session. */
  public TckEnvironment options(Map<String, String> value) {
    return new TckEnvironment(provider, value, timings, slack, sessions, audit, snapshots);
  }

  /** Bounds of cleanup; for a provider that is far away. */
  public TckEnvironment timings(CleanupTimings value) {
    return new TckEnvironment(provider, options, value, slack, sessions, audit, snapshots);
  }

  /** What is added to every bound before it counts as broken; 5 s. */
  public TckEnvironment slack(Duration value) {
    return new TckEnvironment(provider, options, timings, value, sessions, audit, snapshots);
  }

  /** Opens sessions in another way. */
  public TckEnvironment sessions(SessionFactory value) {
    return new TckEnvironment(provider, options, timings, slack, value, audit, snapshots);
  }

  /** Without counts of descriptors of this JVM, which need that nothing else runs in it. */
  public TckEnvironment withoutDescriptorAudit() {
    return new TckEnvironment(provider, options, timings, slack, sessions, false, snapshots);
  }

  /** Puts something around the snapshot store that the kit uses, which is in memory. */
  public TckEnvironment snapshots(UnaryOperator<SnapshotStore> value) {
    return new TckEnvironment(provider, options, timings, slack, sessions, audit, value);
  }

  /** What is put around the snapshot store. */
  public UnaryOperator<SnapshotStore> snapshots() {
    return snapshots;
  }

  /** The provider. */
  public SandboxProvider provider() {
    return provider;
  }

  /** Options for every session. */
  public Map<String, String> options() {
    return options;
  }

  /** Bounds of cleanup. */
  public CleanupTimings timings() {
    return timings;
  }

  /** What is added to every bound. */
  public Duration slack() {
    return slack;
  }

  /** How sessions are opened. */
  public SessionFactory sessions() {
    return sessions;
  }

  /** Whether descriptors are counted before and after each test. */
  public boolean auditsDescriptors() {
    return audit;
  }
}
