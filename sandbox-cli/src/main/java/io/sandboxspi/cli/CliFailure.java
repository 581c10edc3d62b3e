package io.sandboxspi.cli;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Ends the command with an exit code and, unless it is quiet, one line. */
final class CliFailure extends RuntimeException {
  private static final long serialVersionUID = 1L;

  private final int exitCode;
  private final boolean quiet;

  private CliFailure(int exitCode, boolean quiet, String message, @Nullable Throwable cause) {
    super(message, cause);
    this.exitCode = exitCode;
    this.quiet = quiet;
  }

  static CliFailure usage(String message) {
    return new CliFailure(ExitCodes.USAGE, false, message, null);
  }

  static CliFailure sandbox(String message, @Nullable Throwable cause) {
    return new CliFailure(ExitCodes.SANDBOX, false, message, cause);
  }

  static CliFailure timeout(Duration limit, Throwable cause) {
    return new CliFailure(
        ExitCodes.TIMEOUT,
        false,
        "timeout: the command ran longer than " + Durations.show(limit) + " and was killed",
        cause);
  }

  /** Ends without a word, as a program does that a signal kills. */
  static CliFailure quiet(int exitCode, String why) {
    return new CliFailure(exitCode, true, why, null);
  }

  int exitCode() {
    return exitCode;
  }

  boolean isQuiet() {
    return quiet;
  }
}
