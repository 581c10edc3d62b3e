package io.sandboxspi;

import java.time.Instant;
import java.util.Map;

/**
 * The saved workspace of a sandbox: durable and whole. Serialisable, never a secret.
 *
 * @param store the name of the store that holds it
 * @param lineage joins the snapshots of one sandbox over all its sessions: 1 to 64 lower-case
 *     letters, digits and dashes
 * @param sequence counts up from 1 in each lineage; a higher one is newer
 * @param kind what was saved
 * @param fingerprint names the content: equal ones were taken of equal workspaces; empty if it is
 *     not known
 * @param size in bytes; 0 if it is not known
 * @param created when it was taken
 * @param data facts that only the store or the provider reads
 */
public record Snapshot(
    String store,
    String lineage,
    long sequence,
    Kind kind,
    String fingerprint,
    long size,
    Instant created,
    Map<String, String> data) {
  /** What was saved. */
  public enum Kind {
    /** An archive of the workspace's files. */
    ARCHIVE,
    /** A snapshot that the provider took and keeps by itself. */
    NATIVE
  }

  /** Copies the data. */
  public Snapshot {
    data = Map.copyOf(data);
  }

  /** The lineage and the number in it. */
  @Override
  public String toString() {
    return lineage + "." + sequence + " in " + store;
  }
}
