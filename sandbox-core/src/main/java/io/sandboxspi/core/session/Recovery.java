package io.sandboxspi.core.session;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.Snapshot;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.SnapshotStore;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What a session's sandbox can be resumed from: its lineage, its newest snapshot and its backend.
 * Thread-safe.
 */
final class Recovery {
  private final String lineage;
  private final Optional<SnapshotStore> store;
  private long newest;
  private @Nullable Snapshot snapshot;
  private boolean backendGone;

  /**
   * Of a new or resumed session.
   *
   * @param newest the number of the newest snapshot there is; 0 for none
   */
  Recovery(String lineage, Optional<SnapshotStore> store, long newest) {
    this.lineage = lineage;
    this.store = store;
    this.newest = newest;
  }

  String lineage() {
    return lineage;
  }

  /** Where the session saves its workspace; empty for nowhere. */
  Optional<SnapshotStore> store() {
    return store;
  }

  /** The number that the next snapshot has at least. */
  synchronized long next() {
    return newest + 1;
  }

  /** A snapshot is definitive. */
  synchronized void saved(Snapshot value) {
    if (value.sequence() > newest) {
      newest = value.sequence();
      snapshot = value;
    }
  }

  /** Resumed from this snapshot, or knowing it. */
  synchronized void known(Snapshot value) {
    snapshot = value;
    newest = Math.max(newest, value.sequence());
  }

  /** The backend is deleted. */
  synchronized void backendGone() {
    backendGone = true;
  }

  /**
   * A checkpoint of what is now.
   *
   * @param asSaved whether nothing may have changed since the newest snapshot
   */
  synchronized Checkpoint checkpoint(String provider, BackendRef backend, boolean asSaved) {
    boolean whole = asSaved && snapshot != null && snapshot.sequence() == newest;
    Checkpoint checkpoint = Checkpoint.of(provider, lineage, whole ? newest : newest + 1);
    if (!backendGone) {
      checkpoint = checkpoint.backend(backend);
    }
    return snapshot == null ? checkpoint : checkpoint.snapshot(snapshot);
  }
}
