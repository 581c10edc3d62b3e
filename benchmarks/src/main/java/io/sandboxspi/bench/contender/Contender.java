package io.sandboxspi.bench.contender;

import java.util.List;

/**
 * One way to run processes. What it cannot do is refused with {@link
 * UnsupportedOperationException}. Times are nanoseconds.
 */
public interface Contender extends AutoCloseable {
  /** From the call to the first byte of output; the process has ended and been let go after. */
  default long firstByte(List<String> argv) throws Exception {
    throw new UnsupportedOperationException("first byte");
  }

  /** From the call to the whole result of a command without terminal. */
  default long whole(List<String> argv) throws Exception {
    throw new UnsupportedOperationException("whole result");
  }

  /** Opens the program that {@link Programs#ECHO} names. */
  default Dialogue dialogue() throws Exception {
    throw new UnsupportedOperationException("dialogue");
  }

  /** Reads all output of a program on a terminal; the number of bytes. */
  default long drain(List<String> argv, int buffer) throws Exception {
    throw new UnsupportedOperationException("drain");
  }

  /** Starts a program on a terminal, waits for its first byte and leaves it running. */
  default void keep(List<String> argv) throws Exception {
    throw new UnsupportedOperationException("keep");
  }

  /** Ends everything kept, whole trees where it can, and lets go of it. */
  default void endAll() throws Exception {
    throw new UnsupportedOperationException("end all");
  }

  /** Runs a program on a terminal to its end; all of its output. */
  default String session(List<String> argv) throws Exception {
    throw new UnsupportedOperationException("session");
  }

  @Override
  void close() throws Exception;

  /** A program that gives back what it gets. */
  interface Dialogue extends AutoCloseable {
    /** Sends one byte and waits for it to come back; nanoseconds. */
    long roundTrip() throws Exception;

    @Override
    void close() throws Exception;
  }
}
