package io.sandboxspi.core.posix;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import java.util.Optional;

/** What a launch says of itself: {@link LaunchMarks} and {@link PosixStatus} read it. */
public sealed interface LaunchReport {
  /**
   * The program runs, or is about to: everything that can be checked before was found right.
   *
   * @param pid number of the leader in the sandbox
   */
  record Started(long pid) implements LaunchReport {}

  /** A spare waits for its launch. */
  enum Waiting implements LaunchReport {
    /** The only value. */
    INSTANCE
  }

  /** The id was killed first: the program has not started and never will. */
  enum Refused implements LaunchReport {
    /** The only value. */
    INSTANCE
  }

  /**
   * The program could not be started.
   *
   * @param code one of the start errors
   * @param what the object of the error, such as {@code program} or {@code tool setsid}
   */
  record Failed(ErrorCode code, String what) implements LaunchReport {
    /** The error to throw; the same launch cannot succeed, though the program never started. */
    public SandboxException exception(Operation operation, String program) {
      return SandboxException.builder(
              code, operation, "cannot start \"" + program + "\": " + what + reason())
          .context("program", program)
          .context("what", what)
          .build();
    }

    private String reason() {
      return switch (code) {
        case COMMAND_NOT_FOUND, WORKING_DIRECTORY_NOT_FOUND, USER_NOT_FOUND -> " not found";
        case COMMAND_NOT_EXECUTABLE -> " cannot be executed";
        default -> what.startsWith("tool ") ? " is missing in the sandbox" : " cannot be used";
      };
    }
  }

  /** The program has ended. */
  record Ended(ExitStatus status) implements LaunchReport {}

  /** Nobody has recorded how it ended, or it was never supervised. */
  enum EndedUnseen implements LaunchReport {
    /** The only value. */
    INSTANCE
  }

  /** Nothing is known: not begun, or forgotten after a kill. */
  enum Unknown implements LaunchReport {
    /** The only value. */
    INSTANCE
  }

  /** Reads one report; empty for anything else. */
  static Optional<LaunchReport> parse(String text) {
    return ReportText.parse(text);
  }
}
