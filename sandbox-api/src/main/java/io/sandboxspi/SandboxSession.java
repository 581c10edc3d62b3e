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
   * Ends every process; afterwards the session can be used again (spec S-LIFE-02).
   *
   * @throws SandboxException the first failure; the others are suppressed under it
   */
  void stop() throws InterruptedException;

  /**
   * Ends every process and releases the backend without deleting it. A failed shutdown can be
   * called again; a second caller joins one that runs (spec S-LIFE-04).
   *
   * @throws SandboxException the first failure; the others are suppressed under it
   */
  void shutdown() throws InterruptedException;

  /**
   * Shuts down and deletes the backend if this session made it. Idempotent; joins a close that
   * runs; after a failure it can be called again. An interrupt does not stop the cleanup: it
   * settles within its bound and the flag is set again on return (spec S-LIFE-03).
   *
   * @throws SandboxException the first failure; the others are suppressed under it
   * @throws RuntimeException the reason of a cancelled {@link CallScope}
   */
  @Override
  void close();
}
