package io.sandboxspi;

import io.sandboxspi.spi.BackendRef;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Where a sandbox can be resumed from: its backend while that lives, otherwise a snapshot that is
 * at least as new (spec S-RESUME-02). Only handed out when it is definitive (spec S-RESUME-01).
 * Immutable, never a secret: the environment and the options are given again when it is resumed.
 */
public final class Checkpoint {
  private final String provider;
  private final String lineage;
  private final long oldest;
  private final @Nullable BackendRef backend;
  private final @Nullable Snapshot snapshot;

  private Checkpoint(
      String provider,
      String lineage,
      long oldest,
      @Nullable BackendRef backend,
      @Nullable Snapshot snapshot) {
    this.provider = Objects.requireNonNull(provider, "provider");
    this.lineage = Objects.requireNonNull(lineage, "lineage");
    this.oldest = oldest;
    this.backend = backend;
    this.snapshot = snapshot;
    Checks.range("oldest", oldest, 0, Long.MAX_VALUE);
  }

  /**
   * A checkpoint without backend and snapshot.
   *
   * @param oldest the lowest number of a snapshot that is new enough
   */
  public static Checkpoint of(String provider, String lineage, long oldest) {
    return new Checkpoint(provider, lineage, oldest, null, null);
  }

  /** With a backend that may live. */
  public Checkpoint backend(BackendRef value) {
    return new Checkpoint(provider, lineage, oldest, value, snapshot);
  }

  /** With the newest snapshot, which names the store. */
  public Checkpoint snapshot(Snapshot value) {
    return new Checkpoint(provider, lineage, oldest, backend, value);
  }

  /** The provider's name. */
  public String provider() {
    return provider;
  }

  /** Joins the snapshots of one sandbox; see {@link Snapshot#lineage()}. */
  public String lineage() {
    return lineage;
  }

  /** The lowest number of a snapshot that is new enough. */
  public long oldest() {
    return oldest;
  }

  /** The backend; empty if it was proven gone. */
  public Optional<BackendRef> backend() {
    return Optional.ofNullable(backend);
  }

  /** The newest snapshot when the checkpoint was taken; it may be older than the checkpoint. */
  public Optional<Snapshot> snapshot() {
    return Optional.ofNullable(snapshot);
  }

  @Override
  public boolean equals(@Nullable Object other) {
    return other instanceof Checkpoint that
        && provider.equals(that.provider)
        && lineage.equals(that.lineage)
        && oldest == that.oldest
        && Objects.equals(backend, that.backend)
        && Objects.equals(snapshot, that.snapshot);
  }

  @Override
  public int hashCode() {
    return Objects.hash(provider, lineage, oldest, backend, snapshot);
  }

  @Override
  public String toString() {
    return "Checkpoint[" + provider + ", " + lineage + "." + oldest + "]";
  }
}
