package io.sandboxspi.spi;

import io.sandboxspi.Capability;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * One sandbox. Thread-safe. All blocking methods return before their deadline or throw, and end
 * soon after an interrupt (spec S-SPI-01).
 */
public interface SandboxBackend {
  /** Names the backend. */
  BackendRef ref();

  /**
   * Capabilities of the provider that this backend has not, because of its image or its options.
   */
  default Set<Capability> lacks() {
    return Set.of();
  }

  /**
   * Launches a process in a session and process group of its own (spec S-SPI-02).
   *
   * <p>A failure may come after the process was made: the engine then ends it by its id. A launch
   * whose id was killed before must not start ({@link #kill}).
   *
   * @param listener told from the first byte on
   * @throws io.sandboxspi.SandboxException a start error; {@link io.sandboxspi.Retryable#YES} only
   *     if the process provably never started
   */
  SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException;

  /**
   * Ends the launch with this id: its process group, also when the leader has gone, and with {@link
   * io.sandboxspi.Capability#KILL_ESCAPED} every descendant; proves it; removes what the backend
   * kept for it, in this order (spec S-SPI-04). It works whether or not {@code launch} has
   * returned, and a launch that has not begun yet must then refuse to start. Idempotent: a second
   * call may answer {@link TerminationOutcome.AlreadyGone}.
   *
   * <p>A failure to prove the end is an {@link TerminationOutcome.Unconfirmed} outcome; an
   * exception counts as one.
   */
  TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException;

  /**
   * Ends many launches in one operation where that is cheaper. An id that is missing in the answer
   * is ended by {@link #kill} then, so a backend without such an operation answers nothing.
   */
  default Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return Map.of();
  }

  /**
   * Ends every launch in the backend that was not made by this object: by an owner that was killed,
   * or by another that is attached (spec S-SNAP-08). A backend that can be attached to overrides
   * it.
   *
   * <p>A failure to prove the end is an {@link TerminationOutcome.Unconfirmed} outcome; an
   * exception counts as one.
   */
  default TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    return TerminationOutcome.alreadyGone();
  }

  /** The backend's files. */
  BackendFiles files();

  /** Asks whether the backend lives. */
  Liveness probe(Deadline deadline) throws InterruptedException;

  /** Ports of the sandbox that were declared at creation. */
  default Set<Integer> ports() {
    return Set.of();
  }

  /**
   * Where one of {@link #ports()} is reached from here.
   *
   * @throws SandboxException {@link ErrorCode#PORT_UNAVAILABLE}, {@link ErrorCode#UNSUPPORTED}
   *     without {@link io.sandboxspi.Capability#PORTS}
   */
  default Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    throw SandboxException.of(
        ErrorCode.UNSUPPORTED, Operation.ENDPOINT, "the provider has no ports");
  }

  /**
   * Lets go of this side only: connections, threads, temporary files. The backend lives on and can
   * be attached to. Idempotent; a {@link #release} after it does nothing more.
   *
   * @throws SandboxException {@link ErrorCode#UNSUPPORTED} without {@link
   *     io.sandboxspi.Capability#REATTACH}
   */
  default void detach(Deadline deadline) throws InterruptedException {
    throw SandboxException.of(
        ErrorCode.UNSUPPORTED, Operation.DETACH, "the provider cannot attach to a backend again");
  }

  /**
   * Lets go of the backend: connections, threads, and the machine where the provider's options say
   * so. Does not delete what {@link SandboxProvider#delete} deletes. Idempotent.
   */
  ReleaseOutcome release(Deadline deadline) throws InterruptedException;
}
