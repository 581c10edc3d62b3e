package io.sandboxspi.remote.shell;

import io.sandboxspi.remote.transport.OptionReader;

/** Who takes snapshots, where a vendor can. */
public enum SnapshotMaker {
  /** The engine: archives of the workspace. */
  ARCHIVE,
  /** The vendor. */
  VENDOR;

  /** By its name in lower case; empty is the engine. */
  public static SnapshotMaker of(String setting, String value) {
    return value.isEmpty() ? ARCHIVE : OptionReader.chosen(SnapshotMaker.class, setting, value);
  }
}
