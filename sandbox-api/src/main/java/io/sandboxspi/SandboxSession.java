package io.sandboxspi;

import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Liveness;
import java.util.Set;

/**
 * An open sandbox. It owns every process that it started until the process is proven ended (spec
 * S-CLEAN-01). Thread-safe. Blocking calls follow the cancellation rule told in {@link Ptys}.
 */
public interface SandboxSession extends AutoCloseable {
  /** The session's id. */
  String id();

  /** The provider's name. */
  String provider();

  /** What the provider can do. */
  Set<Capability> capabilities();

  /** Names the backend; serialisable, never a secret. */
  BackendRef backend();

  /** Where the session is in its life. */
  SessionState state();

  /**
   * Runs a command to its end.
   *
   * @throws SandboxException {@link ErrorCode#EXEC_TIMEOUT} with the partial result, a launch
   *     error, or {@link ErrorCode#INVALID_ARGUMENT} for {@link Stdin#pipe()} and {@link
   *     Command#streaming()}, which need {@link #start(Command)}
   */
  ExecResult exec(Command command) throws InterruptedException;

  /** Starts a command in the background; returns when its process is open. */
  RunningCommand start(Command command) throws InterruptedException;

  /** Interactive and background processes with ids. */
  Ptys ptys();

  /** The sandbox's files. */
  SandboxFiles files();

  /** Asks the backend whether it lives; at most 10 s. */
  Liveness probe() throws InterruptedException;

  /**
   * Where a declared port is reached from here; at most 30 s.
   *
   * @throws SandboxException {@link ErrorCode#PORT_NOT_CONFIGURED} listing the declared ports,
   *     {@link ErrorCode#PORT_UNAVAILABLE}, {@link ErrorCode#UNSUPPORTED} without {@link
   *     Capability#PORTS}
   */
  Endpoint endpoint(int port) throws InterruptedException;

  /**
   * Ends every process and saves the workspace if the spec names a store; afterwards the session
   * can be used again (spec S-LIFE-02). No snapshot is taken while a process is not proven ended
   * (spec S-SNAP-02).
   *
   * @return where the sandbox can be resumed from
   * @throws SandboxException the first failure, the others suppressed under it; {@link
   *     ErrorCode#CHECKPOINT_PENDING} for a call from inside a closing step, which is only noted
   */
  Checkpoint stop() throws InterruptedException;

  /**
   * Where the sandbox can be resumed from now, without ending or saving anything. Also after the
   * end of the session.
   *
   * @throws SandboxException {@link ErrorCode#CHECKPOINT_PENDING} while a stop, shutdown or close
   *     runs, waits for its retry, or owns a process that is not proven ended
   */
  Checkpoint checkpoint();

  /**
   * Ends every process, saves nothing, and leaves the backend to itself: the session is closed and
   * the backend lives on, to be resumed or deleted later (spec S-LIFE-11).
   *
   * @return where the sandbox can be resumed from
   * @throws SandboxException {@link ErrorCode#UNSUPPORTED} without {@link Capability#REATTACH}; the
   *     first failure, after which it can be called again
   */
  Checkpoint detach() throws InterruptedException;

  /**
   * Ends every process, saves the workspace as {@link #stop()} does, and releases the backend
   * without deleting it. A failed shutdown can be called again; a second caller joins one that runs
   * (spec S-LIFE-04).
   *
   * @throws SandboxException the first failure; the others are suppressed under it
   */
  void shutdown() throws InterruptedException;

  /**
   * Shuts down and deletes the backend, without saving the workspace: what was not saved before is
   * lost. Otherwise as {@link #close()}.
   *
   * @throws SandboxException the first failure; the others are suppressed under it
   */
  void delete() throws InterruptedException;

  /**
   * Shuts down, and deletes the backend if this session made it and did not attach to it.
   * Idempotent; joins a close that runs; after a failure it can be called again. While the
   * workspace cannot be saved the backend is neither released nor deleted, unless the policy says
   * so (spec S-SNAP-04). An interrupt does not stop the cleanup: it settles within its bound and
   * the flag is set again on return (spec S-LIFE-03).
   *
   * @throws SandboxException the first failure; the others are suppressed under it
   * @throws RuntimeException the reason of a cancelled {@link CallScope}
   */
  @Override
  void close();
}
