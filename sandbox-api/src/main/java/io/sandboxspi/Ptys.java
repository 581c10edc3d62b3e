package io.sandboxspi;

import java.util.List;
import java.util.function.Consumer;

/**
 * The PTYs of one session: at most 64, found by ids of 1000 to 99999 (spec S-REG-01). Thread-safe;
 * calls on the same PTY are served one after another (spec S-PTY-07).
 *
 * <p>Every blocking call follows the cancellation rule (spec S-CANCEL-01): when the caller is
 * interrupted, or its {@link CallScope} is cancelled or expires, cleanup under way settles within
 * its bound first; then the call throws {@link InterruptedException} with the flag set again, or
 * the scope's very reason. Cleanup failures are suppressed under it.
 *
 * <p>Every call throws {@link ErrorCode#SESSION_CLOSED} once the session is closing, and those with
 * an id throw {@link ErrorCode#PTY_NOT_FOUND} for an id that is unknown or has ended.
 */
public interface Ptys {
  /**
   * Starts a process and collects its first output.
   *
   * @throws SandboxException a launch error, {@link ErrorCode#OPEN_TIMEOUT}, or {@link
   *     ErrorCode#TOO_MANY_PTYS} when all 64 are in use
   */
  PtyUpdate start(PtyRequest request) throws InterruptedException;

  /** Writes text as UTF-8 and collects output for 250 ms; an empty text polls. */
  PtyUpdate write(int id, String text) throws InterruptedException;

  /**
   * Writes text as UTF-8, waits 100 ms, and collects output; an empty text polls.
   *
   * @throws SandboxException {@link ErrorCode#STDIN_UNAVAILABLE} without a terminal, {@link
   *     ErrorCode#WRITE_TIMEOUT} when the process takes no input
   */
  PtyUpdate write(int id, String text, YieldOptions options) throws InterruptedException;

  /** Collects output for 5 s, or until the process ends. */
  PtyUpdate poll(int id) throws InterruptedException;

  /** Collects output for at least 5 s, or until the process ends or goes quiet. */
  PtyUpdate poll(int id, YieldOptions options) throws InterruptedException;

  /** The PTYs that can be used, by id. Does not block. */
  List<PtyInfo> list();

  /**
   * Changes the terminal's size; nothing happens if the process has just ended.
   *
   * @throws SandboxException {@link ErrorCode#UNSUPPORTED} without {@link Capability#RESIZE}
   */
  void resize(int id, TerminalSize size);

  /**
   * Sends a signal to the process group; nothing happens if the process has just ended.
   *
   * @throws SandboxException {@link ErrorCode#UNSUPPORTED} without {@link Capability#SIGNALS}
   */
  void signal(int id, Signal signal);

  /**
   * Opens a live byte stream on a PTY, from its first byte that was not collected yet. While it is
   * open the PTY is in use, updates hold no output, and a slow reader slows the process down; the
   * end of the PTY is still told by a poll and by {@link #onExit} (spec S-PTY-13).
   *
   * @return closing it leaves the PTY running
   * @throws SandboxException {@link ErrorCode#ALREADY_ATTACHED} when there is one open
   */
  PtyStream attach(int id);

  /**
   * Ends one PTY with its whole tree; the update has the output that was left.
   *
   * @throws SandboxException {@link ErrorCode#TERMINATION_UNCONFIRMED} when the end is not proven
   */
  PtyUpdate terminate(int id) throws InterruptedException;

  /**
   * Ends every process of the session, commands included, and retries those whose end was not
   * proven before. All are attempted; the first failure in start order is thrown, the others are
   * suppressed under it (spec S-CLEAN-04).
   */
  void terminateAll() throws InterruptedException;

  /**
   * Calls the listener once when the PTY has ended, on a thread of the session; at once if it has
   * ended but was not collected.
   *
   * @return closes the subscription
   */
  Registration onExit(int id, Consumer<PtyExit> listener);
}
