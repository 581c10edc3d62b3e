package io.sandboxspi.cli;

import io.sandboxspi.cli.log.LogLevel;
import java.io.PrintWriter;

/** Tells a failure in one line; its stack trace only when debugging (spec S-CLI-02). */
final class Failures {
  private Failures() {}

  /** Prints the failure, unless the user asked for the end, and returns the exit code. */
  static int report(Throwable failure, PrintWriter to) {
    boolean quiet =
        failure instanceof InterruptedException
            || ShutdownGuard.jvmEnds()
            || (failure instanceof CliFailure own && own.isQuiet());
    if (!quiet) {
      to.println("sandbox: " + line(failure));
    }
    if (LogLevel.debug()) {
      failure.printStackTrace(to);
    }
    to.flush();
    return ExitCodes.of(failure);
  }

  private static String line(Throwable failure) {
    String message = failure.getMessage();
    return LogLevel.oneLine(
        message == null || message.isBlank() ? failure.getClass().getSimpleName() : message);
  }
}
