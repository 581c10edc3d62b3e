package io.sandboxspi.remote.blaxel;

import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.InputClosedException;
import java.nio.ByteBuffer;

/** Input of a process behind a terminal. Thread-safe. */
interface Input {
  /** Writes all; concurrent writes do not mix. */
  void write(ByteBuffer bytes, Deadline deadline) throws InterruptedException, InputClosedException;

  /** Ends the input of a process with pipes. */
  void close(Deadline deadline) throws InterruptedException;

  /** The relay has taken so many pieces. */
  default void taken(long number) {}

  /** The connection is a new one: what may have been lost is sent again. */
  default void again(Deadline deadline) throws InterruptedException {}

  /** Nobody reads any more. */
  default void over() {}
}
