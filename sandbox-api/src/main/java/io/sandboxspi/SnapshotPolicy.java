package io.sandboxspi;

import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Map;

/**
 * Where and how a session saves its workspace when it stops, shuts down or closes (spec S-SNAP-01).
 * Immutable: each method returns a changed copy.
 */
public final class SnapshotPolicy {
  /** The name of no store at all. */
  public static final String NONE = "none";

  private static final SnapshotPolicy OFF =
      new SnapshotPolicy(NONE, Map.of(), true, 3, Duration.ofMinutes(30));

  private final String store;
  private final Map<String, String> options;
  private final boolean keepBackend;
  private final int keep;
  private final Duration timeout;

  private SnapshotPolicy(
      String store, Map<String, String> options, boolean keepBackend, int keep, Duration timeout) {
    this.store = store;
    this.options = Map.copyOf(options);
    this.keepBackend = keepBackend;
    this.keep = keep;
    this.timeout = timeout;
    Checks.range("keep", keep, 1, Integer.MAX_VALUE);
    Checks.positive("timeout", timeout);
  }

  /** No snapshots. */
  public static SnapshotPolicy none() {
    return OFF;
  }

  /**
   * Snapshots in the store of this name.
   *
   * @param store {@code none}, {@code local}, {@code memory}, or another on the class path
   */
  public static SnapshotPolicy in(String store) {
    return new SnapshotPolicy(store, Map.of(), true, OFF.keep, OFF.timeout);
  }

  /** Sets an option of the store; it refuses unknown names and bad values. */
  public SnapshotPolicy option(String name, String value) {
    Map<String, String> all = new LinkedHashMap<>(options);
    all.put(name, value);
    return new SnapshotPolicy(store, all, keepBackend, keep, timeout);
  }

  /**
   * How many snapshots of a sandbox stay, the newest ones; 3 unless set. A checkpoint whose
   * snapshot has gone is resumed from the oldest newer one.
   */
  public SnapshotPolicy keep(int count) {
    return new SnapshotPolicy(store, options, keepBackend, count, timeout);
  }

  /** Limit for saving once; 30 min unless set. */
  public SnapshotPolicy timeout(Duration value) {
    return new SnapshotPolicy(store, options, keepBackend, keep, value);
  }

  /**
   * Releases and deletes the backend also when its snapshot failed. Otherwise, and by default, the
   * backend is kept until a snapshot is definitive.
   */
  public SnapshotPolicy releaseAnyway() {
    return new SnapshotPolicy(store, options, false, keep, timeout);
  }

  /** The store's name. */
  public String store() {
    return store;
  }

  /** Options of the store. */
  public Map<String, String> options() {
    return options;
  }

  /** Whether the backend is kept until a snapshot is definitive. */
  public boolean keepsBackend() {
    return keepBackend;
  }

  /** How many snapshots of a sandbox stay. */
  public int keep() {
    return keep;
  }

  /** Limit for saving once. */
  public Duration timeout() {
    return timeout;
  }

  /** Whether there are snapshots at all. */
  public boolean enabled() {
    return !store.equals(NONE);
  }

  /** Names of the options only. */
  @Override
  public String toString() {
    return "SnapshotPolicy[" + store + ", options=" + options.keySet() + "]";
  }
}
