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

  /** Whether the relay lacks pieces when it has had so many. */
  default boolean behind(long number) {
    return false;
  }

  /** What may have been lost is sent again; what has come is passed over. */
  default void again(Deadline deadline) throws InterruptedException {}

  /** Nobody reads any more. */
  default void over() {}
}
