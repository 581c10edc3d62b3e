package io.sandboxspi.spi;

import io.sandboxspi.Snapshot;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;

/**
 * Keeps snapshots. A snapshot is whole and durable, or it is not there: one that was torn by a
 * crash is never listed, and one that was damaged later is never read to a good end (spec
 * S-SNAP-03). Thread-safe, and safe beside other processes. Calls return before their deadline or
 * throw, and end soon after an interrupt.
 */
public interface SnapshotStore {
  /** Writes the content of a snapshot. */
  @FunctionalInterface
  interface Content {
    /**
     * Writes all of it, once; the store closes the stream.
     *
     * @return the fingerprint; empty if it is not known
     * @throws IOException when it cannot be whole; the store drops what was written
     */
    String writeTo(OutputStream out) throws IOException, InterruptedException;
  }

  /**
   * What is known of a snapshot before it is written.
   *
   * @param lineage see {@link Snapshot#lineage()}
   * @param oldest its number is this at least, and above all that the lineage has
   * @param kind what it is
   * @param data facts to keep with it
   */
  record Draft(String lineage, long oldest, Snapshot.Kind kind, Map<String, String> data) {
    /** Copies the data. */
    public Draft {
      data = Map.copyOf(data);
    }
  }

  /**
   * Saves a snapshot; when it returns, the snapshot is durable and listed.
   *
   * @throws io.sandboxspi.SandboxException {@link io.sandboxspi.ErrorCode#SNAPSHOT_FAILED}; nothing
   *     is listed then
   */
  Snapshot save(Draft draft, Content content, Deadline deadline) throws InterruptedException;

  /** The snapshots of a lineage that can be restored, newest first; empty if there are none. */
  List<Snapshot> list(String lineage, Deadline deadline) throws InterruptedException;

  /**
   * Opens the content; the caller closes the stream. If the content is not what was saved, a read
   * fails at its end at the latest.
   *
   * @throws io.sandboxspi.SandboxException {@link io.sandboxspi.ErrorCode#SNAPSHOT_NOT_FOUND}
   */
  InputStream open(Snapshot snapshot, Deadline deadline) throws InterruptedException;

  /** Deletes a snapshot; one that is gone is a success. */
  void delete(Snapshot snapshot, Deadline deadline) throws InterruptedException;
}
