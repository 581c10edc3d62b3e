package io.sandboxspi;

import java.io.InputStream;
import java.io.OutputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;

/**
 * A command in the background, owned by its session until its end is proven (spec S-EXEC-09).
 * Thread-safe.
 */
public interface RunningCommand extends AutoCloseable {
  /** The launch id, unique for ever. */
  String id();

  /**
   * The command's input; closing it ends the input. Writes are bounded by the caller's {@link
   * CallScope}, and by 30 s otherwise.
   *
   * @throws SandboxException {@link ErrorCode#STDIN_UNAVAILABLE} unless started with {@link
   *     Stdin#pipe()}
   */
  OutputStream stdin();

  /**
   * Live standard output. An interrupt ends a read with {@link java.io.InterruptedIOException}.
   *
   * @throws SandboxException {@link ErrorCode#UNSUPPORTED} unless started with {@link
   *     Command#streaming()}
   */
  InputStream stdout();

  /** Live standard error; see {@link #stdout()}. Empty on a terminal. */
  InputStream stderr();

  /**
   * Waits for the end. An interrupt or a cancelled {@link CallScope} ends the wait and not the
   * command.
   *
   * @throws SandboxException {@link ErrorCode#EXEC_TIMEOUT} with the partial result
   * @throws RuntimeException the very reason given to {@link #cancel(RuntimeException)}
   */
  ExecResult await() throws InterruptedException;

  /** As {@link #await()}, for at most the given time; empty when it passed. */
  Optional<ExecResult> await(Duration limit) throws InterruptedException;

  /**
   * The end as a future. It completes only when the end is proven or given up for the retry of a
   * later cleanup. Cancelling the future cancels the command.
   */
  CompletableFuture<ExecResult> result();

  /**
   * Kills the command's tree without waiting. {@link #await()} and {@link #result()} then fail with
   * this same object once cleanup has settled (spec S-CANCEL-01).
   *
   * @return whether this call was the first and the command had not ended
   */
  boolean cancel(RuntimeException reason);

  /** Sends a signal to the command's process group; nothing happens after its end. */
  void signal(Signal signal);

  /** Changes the terminal's size; nothing happens after the end or without a terminal. */
  void resize(TerminalSize size);

  /**
   * Kills the command if it runs and waits for the bounded cleanup. Idempotent. An interrupt does
   * not stop the cleanup; the flag is set again on return.
   *
   * @throws SandboxException {@link ErrorCode#TERMINATION_UNCONFIRMED} when the end is not proven
   */
  @Override
  void close();
}
