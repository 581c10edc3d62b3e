package io.sandboxspi.remote.relay;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.spi.Deadline;
import java.nio.ByteBuffer;
import java.util.Map;

/**
 * One terminal of a vendor, with an interactive shell in it. Thread-safe. Calls end by their
 * deadline or at an interrupt, and fail with a {@link
 * io.sandboxspi.remote.transport.RemoteException}.
 */
public interface VendorTerminal {
  /** Told what comes of a terminal: one call at a time; the methods do not block. */
  interface Listener {
    /**
     * Output.
     *
     * @param bytes valid during the call only
     */
    void onBytes(ByteBuffer bytes);

    /** What came while there was no connection may be missing here. */
    void onGap();

    /** The connection is over: the terminal has ended, or the connection broke. */
    void onEnd(Output.End end);
  }

  /**
   * Makes it; sent once.
   *
   * @param variables of its shell
   */
  void make(Map<String, String> variables, TerminalSize size, Deadline deadline)
      throws InterruptedException;

  /** Connects to it, for the first time or again. */
  WebSocketLink connect(Listener listener, Deadline deadline) throws InterruptedException;

  /** Whether its shell lives, as far as the vendor says. */
  boolean lives(Deadline deadline) throws InterruptedException;

  /** Whether a connection that is made again brings what was missed, or tells of a gap. */
  boolean replays();

  /** Whether the vendor takes input however little of it the program reads. */
  default boolean takesAnything() {
    return false;
  }

  /** Changes its size; does nothing once it has ended. */
  void resize(TerminalSize size, Deadline deadline) throws InterruptedException;

  /** Ends its shell, and removes it; does nothing once that is done. */
  void end(Deadline deadline) throws InterruptedException;

  /**
   * What ran in it has ended, as others found out: the vendor may be asked. Never blocks; for a
   * vendor that does not tell.
   */
  default void ended() {}

  /** Whether something of it stays when its shell has ended, until {@link #end}. */
  default boolean stays() {
    return false;
  }

  /** Nobody listens any more: what this side keeps may go. Never blocks. */
  default void forget() {}
}
