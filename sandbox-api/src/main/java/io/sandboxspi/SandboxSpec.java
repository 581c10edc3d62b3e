package io.sandboxspi;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * What a sandbox is made from. Immutable. {@code toString} shows names of variables and options,
 * never values (spec S-ERR-03).
 */
public final class SandboxSpec {
  private static final SandboxSpec DEFAULTS = builder().build();

  private final Map<String, String> environment;
  private final Map<String, String> options;
  private final List<SandboxListener> listeners;
  private final List<PathGrant> grants;
  private final Manifest manifest;
  private final CleanupTimings timings;
  private final Duration createTimeout;
  private final SnapshotPolicy snapshots;
  private final boolean durable;

  private SandboxSpec(Builder builder) {
    this.environment = Checks.environment(builder.environment);
    this.options = Map.copyOf(builder.options);
    this.listeners = List.copyOf(builder.listeners);
    this.grants = List.copyOf(builder.grants);
    this.manifest = builder.manifest;
    this.timings = builder.timings;
    this.createTimeout = builder.createTimeout;
    this.snapshots = builder.snapshots;
    this.durable = builder.durable || snapshots.enabled();
    Checks.positive("createTimeout", createTimeout);
  }

  /** A fresh workspace, the provider's defaults. */
  public static SandboxSpec defaults() {
    return DEFAULTS;
  }

  /** Starts from the defaults. */
  public static Builder builder() {
    return new Builder();
  }

  /** Variables of every process of the session. */
  public Map<String, String> environment() {
    return environment;
  }

  /** Options of the provider; it refuses unknown names and bad values (spec S-VAL-02). */
  public Map<String, String> options() {
    return options;
  }

  /** Told of every operation. */
  public List<SandboxListener> listeners() {
    return listeners;
  }

  /** Directories outside the workspace that files calls may use. */
  public List<PathGrant> grants() {
    return grants;
  }

  /** What a fresh workspace holds. */
  public Manifest manifest() {
    return manifest;
  }

  /** Bounds of cleanup. */
  public CleanupTimings timings() {
    return timings;
  }

  /** Limit for making the backend. */
  public Duration createTimeout() {
    return createTimeout;
  }

  /** Where the workspace is saved. */
  public SnapshotPolicy snapshots() {
    return snapshots;
  }

  /** Whether the backend may outlive this process. */
  public boolean durable() {
    return durable;
  }

  @Override
  public String toString() {
    return "SandboxSpec[environment="
        + environment.keySet()
        + ", options="
        + options.keySet()
        + "]";
  }

  /** Builder; not thread-safe. */
  public static final class Builder {
    private final Map<String, String> environment = new LinkedHashMap<>();
    private final Map<String, String> options = new LinkedHashMap<>();
    private final List<SandboxListener> listeners = new ArrayList<>();
    private final List<PathGrant> grants = new ArrayList<>();
    private Manifest manifest = Manifest.empty();
    private CleanupTimings timings = CleanupTimings.DEFAULT;
    private Duration createTimeout = Duration.ofSeconds(60);
    private SnapshotPolicy snapshots = SnapshotPolicy.none();
    private boolean durable;

    private Builder() {}

    /** Adds a variable for every process. */
    public Builder env(String name, String value) {
      environment.put(name, value);
      return this;
    }

    /** Sets a provider's option. */
    public Builder option(String name, String value) {
      options.put(name, value);
      return this;
    }

    /** Adds a listener. */
    public Builder listener(SandboxListener listener) {
      listeners.add(listener);
      return this;
    }

    /** Lets files calls use a directory outside the workspace; of two, the longer path counts. */
    public Builder grant(PathGrant grant) {
      grants.add(grant);
      return this;
    }

    /** Sets what a fresh workspace holds; nothing unless set. */
    public Builder manifest(Manifest value) {
      this.manifest = value;
      return this;
    }

    /** Sets the bounds of cleanup. */
    public Builder timings(CleanupTimings value) {
      this.timings = value;
      return this;
    }

    /** Limit for making the backend; 60 s unless set. */
    public Builder createTimeout(Duration value) {
      this.createTimeout = value;
      return this;
    }

    /** Where the workspace is saved when the session stops or closes; nowhere unless set. */
    public Builder snapshots(SnapshotPolicy value) {
      this.snapshots = value;
      return this;
    }

    /**
     * Whether the backend may outlive this process, until it is deleted: it is no orphan without
     * its maker (spec S-REAP-04). False unless set; one whose workspace is saved always may.
     */
    public Builder durable(boolean value) {
      this.durable = value;
      return this;
    }

    /**
     * Makes the spec.
     *
     * @throws SandboxException {@link ErrorCode#INVALID_ARGUMENT} naming the field
     */
    public SandboxSpec build() {
      return new SandboxSpec(this);
    }
  }
}
