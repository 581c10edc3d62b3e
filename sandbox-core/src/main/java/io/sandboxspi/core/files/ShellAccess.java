package io.sandboxspi.core.files;

import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.util.Optional;

/**
 * How {@link ShellFiles} runs text in the sandbox's shell. Thread-safe. Every text is run with the
 * functions of {@link ShellFiles#library()} defined, and with nothing on its input unless said
 * otherwise. Methods return before their deadline or throw a {@link
 * io.sandboxspi.SandboxException}.
 */
public interface ShellAccess {
  /**
   * Runs a text and waits for its output.
   *
   * @return standard output, at most some MiB
   */
  byte[] ask(String text, Deadline deadline) throws InterruptedException;

  /**
   * Starts a text whose standard output is read as it comes. The stream fails at its end if the
   * text ended with another code than 0; closing it ends the text.
   */
  InputStream read(String text, Deadline deadline) throws InterruptedException;

  /**
   * Runs a text that takes the rest of the content on its input and an end of input behind it.
   *
   * @return standard output
   * @throws io.sandboxspi.SandboxException also when the content cannot be read
   */
  byte[] write(String text, InputStream content, Deadline deadline) throws InterruptedException;

  /**
   * The same, as another account of the sandbox.
   *
   * @throws io.sandboxspi.SandboxException {@link io.sandboxspi.ErrorCode#UNSUPPORTED} unless
   *     overridden
   */
  default ShellAccess asUser(String user) {
    throw io.sandboxspi.SandboxException.of(
        io.sandboxspi.ErrorCode.UNSUPPORTED,
        io.sandboxspi.Operation.VALIDATE,
        "the sandbox has no other users");
  }

  /** A way past the shell for contents that are not small, where there is one. */
  default Optional<FileCarrier> carrier() {
    return Optional.empty();
  }

  /** Bytes of a file that had better be read by {@link #ask} than by {@link #read}; 0 for none. */
  int smallRead();

  /** Bytes that fit into a text in base64, beside the library where that is part of it. */
  int smallWrite();
}
