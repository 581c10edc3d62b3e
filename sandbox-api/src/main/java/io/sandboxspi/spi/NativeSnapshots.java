package io.sandboxspi.spi;

import java.util.Map;

/**
 * Snapshots that a provider takes of its own machines. The engine uses them in place of an archive
 * and keeps what they answer in the snapshot store. Thread-safe.
 */
public interface NativeSnapshots {
  /**
   * Takes a snapshot of a backend in which no process runs; it is definitive when this returns.
   *
   * @param ref the backend
   * @return what names the snapshot, never a secret
   */
  Map<String, String> take(BackendRef ref, Deadline deadline) throws InterruptedException;

  /** Makes a new backend from a snapshot; what was made before a failure is removed. */
  SandboxBackend restore(BackendRequest request, Map<String, String> snapshot, Deadline deadline)
      throws InterruptedException;

  /** Deletes a snapshot; one that is gone is a success. */
  void delete(Map<String, String> snapshot, Deadline deadline) throws InterruptedException;
}
