package io.sandboxspi.local.driver;

import java.io.IOException;
import java.nio.ByteBuffer;

/** A started process, leader of a session and process group of its own. Thread-safe. */
public interface DriverProcess {
  /** The process id, which is also the id of its group and session. */
  long pid();

  /**
   * Writes all remaining bytes. Concurrent writes do not mix.
   *
   * @param deadline by {@link System#nanoTime()}
   * @throws ClosedInputException when the process takes no more input
   * @throws InputTimeoutException when it did not take all by the deadline
   * @throws InterruptedException when interrupted; some bytes may have been taken
   */
  void write(ByteBuffer bytes, long deadline) throws IOException, InterruptedException;

  /**
   * Writes what goes without blocking or waiting for another writer; {@link #write} does the rest.
   *
   * @return whether nothing is left
   */
  boolean tryWrite(ByteBuffer bytes);

  /**
   * Ends the input after writes that are under way: closes a pipe; on a terminal in line mode sends
   * its end-of-file character, twice in the middle of a line; in raw mode that is the plain byte 4.
   * Later writes fail. Idempotent; does nothing once the process takes no input.
   *
   * @param deadline by {@link System#nanoTime()}
   * @throws InputTimeoutException when it could not be sent by the deadline; it is then dropped on
   *     a terminal and done by the writer that is under way on a pipe
   */
  void closeInput(long deadline) throws IOException, InterruptedException;

  /** Changes the terminal's size; does nothing without terminal or after the end. */
  void resize(WindowSize size);

  /**
   * Sends a signal to the process group, also after its leader has ended while this handle is not
   * released. Never reaches a stranger that got the same number.
   *
   * @return whether there was a group to receive it; an ended leader that is not reaped counts
   */
  boolean signalGroup(int signal);

  /** Goes on delivering output; does nothing unless delivery was stopped. */
  void resumeOutput();

  /** Whether the process itself is proven ended. */
  boolean exited();

  /**
   * Whether the number {@link #pid()} is certain to belong to this process still, alive or ended.
   * False after a release of an ended process.
   */
  boolean pinned();

  /**
   * Gives up descriptors; no output is told after this returned but by a call that runs already;
   * the exit still is. Does not signal the process, but closing a terminal hangs it up. The process
   * is reaped when it ends. Never blocks; idempotent.
   */
  void release();
}
