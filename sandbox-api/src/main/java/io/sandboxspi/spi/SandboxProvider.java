package io.sandboxspi.spi;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/**
 * Makes backends. Found by {@link java.util.ServiceLoader}; needs a public constructor without
 * arguments that does no work (spec S-DISC-01). Thread-safe.
 *
 * <p>All blocking methods return before their deadline or throw, and end soon after an interrupt.
 * What they throw is a {@link io.sandboxspi.SandboxException}.
 */
public interface SandboxProvider {
  /** The name that a runtime opens it by: lower-case letters, digits and dashes. */
  String name();

  /** What its backends can do on this machine. */
  Set<Capability> capabilities();

  /** Whether it can work here; quick, no network, no side effect. */
  default Availability availability() {
    return Availability.available();
  }

  /**
   * Makes a backend. Bad options are refused before anything is made (spec S-VAL-02); what was made
   * before a failure is removed.
   */
  SandboxBackend create(BackendRequest request, Deadline deadline) throws InterruptedException;

  /**
   * Attaches to a backend.
   *
   * @throws io.sandboxspi.SandboxException {@link io.sandboxspi.ErrorCode#BACKEND_GONE} only if it
   *     is proven gone, {@link io.sandboxspi.ErrorCode#UNSUPPORTED} without {@link
   *     Capability#REATTACH}
   */
  SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException;

  /** Its own snapshots; present exactly with {@link Capability#NATIVE_SNAPSHOTS}. */
  default Optional<NativeSnapshots> nativeSnapshots() {
    return Optional.empty();
  }

  /** Deletes a backend with everything in it; one that is gone already is a success. */
  ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException;

  /**
   * Lists the backends that carry this provider's marks, whoever made them, also those that do not
   * run; nothing else is ever listed (spec S-REAP-01).
   *
   * @param options of the spec; those that say where the backends are count, names are checked
   * @throws io.sandboxspi.SandboxException {@link io.sandboxspi.ErrorCode#UNSUPPORTED} without
   *     {@link Capability#LIST}
   */
  default List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    throw SandboxException.of(
        ErrorCode.UNSUPPORTED,
        Operation.DISCOVER,
        "provider " + name() + " keeps no list of what it made");
  }
}
