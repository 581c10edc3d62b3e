package io.sandboxspi.core.snapshot;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;

/** The failures of the stores of this package. */
final class SnapshotErrors {
  private SnapshotErrors() {}

  static SandboxException failed(String why, Throwable cause) {
    return SandboxException.builder(
            ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT, "the snapshot was not saved: " + why)
        .cause(cause)
        .retryable(Retryable.YES)
        .build();
  }

  static SandboxException failed(String why) {
    return SandboxException.builder(
            ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT, "the snapshot was not saved: " + why)
        .retryable(Retryable.YES)
        .build();
  }

  static SandboxException unreadable(String why, Throwable cause) {
    return SandboxException.builder(
            ErrorCode.RESTORE_FAILED, Operation.RESTORE, "the snapshots cannot be read: " + why)
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  static SandboxException missing(Snapshot snapshot) {
    return SandboxException.builder(
            ErrorCode.SNAPSHOT_NOT_FOUND,
            Operation.RESTORE,
            "the snapshot " + snapshot + " does not exist any more")
        .context("lineage", snapshot.lineage())
        .context("sequence", snapshot.sequence())
        .build();
  }
}
