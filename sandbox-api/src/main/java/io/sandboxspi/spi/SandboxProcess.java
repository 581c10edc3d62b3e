package io.sandboxspi.spi;

import io.sandboxspi.Signal;
import io.sandboxspi.TerminalSize;
import java.nio.ByteBuffer;

/**
 * The handle of a launched process. It talks to the process; only {@link SandboxBackend#kill} ends
 * it. Thread-safe.
 */
public interface SandboxProcess {
  /**
   * Takes what goes without blocking; {@code write} is called for what remains. Saves a change of
   * threads. What fails here is not told before {@code write}.
   *
   * @return whether all was taken
   */
  default boolean tryWrite(ByteBuffer bytes) {
    return false;
  }

  /**
   * Writes all remaining bytes; a partial write goes on until the deadline.
   *
   * @throws InputClosedException when the process takes no more input; not an error for a caller
   * @throws io.sandboxspi.SandboxException {@link io.sandboxspi.ErrorCode#WRITE_TIMEOUT} at the
   *     deadline, {@link io.sandboxspi.ErrorCode#TRANSPORT} for a broken connection
   * @throws InterruptedException when interrupted; some bytes may have been taken
   */
  void write(ByteBuffer bytes, Deadline deadline) throws InterruptedException, InputClosedException;

  /** Ends the input: closes a pipe, sends the end-of-file character to a terminal. Idempotent. */
  void closeInput(Deadline deadline) throws InterruptedException;

  /** Changes the terminal's size; does nothing once the process has ended. */
  void resize(TerminalSize size, Deadline deadline) throws InterruptedException;

  /** Signals the process group; does nothing once the process has ended. */
  void signal(Signal signal, Deadline deadline) throws InterruptedException;

  /** Goes on delivering output after {@link ProcessListener#onOutput} returned {@code false}. */
  void resumeOutput();

  /**
   * Lets go of local resources: descriptors, sockets, threads. Never needs the backend to answer,
   * does not end the process, is idempotent, and takes milliseconds (spec S-SPI-06).
   */
  void release();
}
