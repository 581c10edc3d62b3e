package io.sandboxspi.cli;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.SandboxException;

/** Exit codes of the command (spec S-CLI-01, S-CLI-02). */
final class ExitCodes {
  static final int OK = 0;
  static final int FAILED = 1;
  static final int USAGE = 2;
  static final int TIMEOUT = 124;
  static final int SANDBOX = 125;
  static final int NOT_EXECUTABLE = 126;
  static final int NOT_FOUND = 127;
  static final int SIGNAL_BASE = 128;
  static final int INTERRUPTED = SIGNAL_BASE + 2;
  static final int BROKEN_PIPE = SIGNAL_BASE + 13;

  private ExitCodes() {}

  /** The code of a command that ended; a lost end is the sandbox's failure. */
  static int of(ExitStatus status) {
    if (status instanceof ExitStatus.Exited exited) {
      return exited.code();
    }
    if (status instanceof ExitStatus.Signalled signalled) {
      return SIGNAL_BASE + signalled.signal();
    }
    throw CliFailure.sandbox(
        "how the command ended is unknown: " + ((ExitStatus.Lost) status).cause(), null);
  }

  static int of(Throwable failure) {
    if (failure instanceof CliFailure own) {
      return own.exitCode();
    }
    if (failure instanceof InterruptedException) {
      return INTERRUPTED;
    }
    if (failure instanceof SandboxException known) {
      return switch (known.code()) {
        case INVALID_ARGUMENT, PROVIDER_NOT_FOUND, INVALID_PATH -> USAGE;
        case EXEC_TIMEOUT -> TIMEOUT;
        case COMMAND_NOT_EXECUTABLE -> NOT_EXECUTABLE;
        case COMMAND_NOT_FOUND -> NOT_FOUND;
        default -> SANDBOX;
      };
    }
    return SANDBOX;
  }
}
