package io.sandboxspi;

/**
 * How a process ended. A missing code is never 0 and never -1: it is {@link Lost} (spec S-EXIT-01).
 */
public sealed interface ExitStatus {
  /**
   * The process ended by itself.
   *
   * @param code 0 to 255
   */
  record Exited(int code) implements ExitStatus {
    /** Checks the range. */
    public Exited {
      Checks.range("exit code", code, 0, 255);
    }
  }

  /**
   * The process was ended by a signal.
   *
   * @param signal the signal's number in the sandbox, 1 to 127
   */
  record Signalled(int signal) implements ExitStatus {
    /** Checks the range. */
    public Signalled {
      Checks.range("signal", signal, 1, 127);
    }
  }

  /**
   * The way the process ended cannot be known, for instance because its connection broke.
   *
   * @param cause one sentence without secrets
   */
  record Lost(String cause) implements ExitStatus {}
}
