package io.sandboxspi;

import java.time.Duration;
import java.util.OptionalInt;

/**
 * The end of a command.
 *
 * @param status how it ended
 * @param stdout what it wrote to standard output; everything when it had a terminal
 * @param stderr what it wrote to standard error; empty when it had a terminal or its output was
 *     streamed
 * @param duration from launch to end
 * @param outputIncomplete whether output may be missing: a descendant still held it open when the
 *     bounded final drain ended (spec S-EXEC-07)
 */
public record ExecResult(
    ExitStatus status,
    CapturedOutput stdout,
    CapturedOutput stderr,
    Duration duration,
    boolean outputIncomplete) {

  /** The exit code; empty when the command was signalled or lost. */
  public OptionalInt code() {
    return status instanceof ExitStatus.Exited exited
        ? OptionalInt.of(exited.code())
        : OptionalInt.empty();
  }

  /** Whether the command exited with code 0. */
  public boolean successful() {
    return status.equals(new ExitStatus.Exited(0));
  }
}
