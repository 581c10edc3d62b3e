package io.sandboxspi.remote.shell;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import java.nio.ByteBuffer;

/** A process of a {@link Machine}, as the vendor sees it. Thread-safe. */
public interface Running {
  /** Writes all; concurrent writes do not mix. */
  void write(ByteBuffer bytes, Deadline deadline) throws InterruptedException, InputClosedException;

  /** Ends the input of a process with pipes; does nothing once it has ended. */
  void closeInput(Deadline deadline) throws InterruptedException;

  /** Changes the terminal's size; does nothing once it has ended. */
  void resize(TerminalSize size, Deadline deadline) throws InterruptedException;

  /** Ends the one process that the vendor knows, not its tree; does nothing once it has ended. */
  void end(Deadline deadline) throws InterruptedException;

  /** Goes on after {@link Output#onOutput} said no. */
  void resume();

  /** Its program has ended, as others found out. Never blocks; for a vendor that does not tell. */
  default void exited() {}

  /** Lets go of the streams; the process runs on. Never blocks; idempotent. */
  void close();
}
