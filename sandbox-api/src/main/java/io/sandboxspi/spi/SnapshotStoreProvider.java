package io.sandboxspi.spi;

import java.util.Map;

/**
 * Makes snapshot stores. Found by {@link java.util.ServiceLoader}; needs a public constructor
 * without arguments that does no work. Thread-safe.
 */
public interface SnapshotStoreProvider {
  /** The name that a policy uses: lower-case letters, digits and dashes. */
  String name();

  /**
   * Opens a store; makes nothing yet.
   *
   * @throws io.sandboxspi.SandboxException {@link io.sandboxspi.ErrorCode#INVALID_ARGUMENT} for an
   *     unknown option, listing the known ones, or a bad value
   */
  SnapshotStore open(Map<String, String> options);
}
