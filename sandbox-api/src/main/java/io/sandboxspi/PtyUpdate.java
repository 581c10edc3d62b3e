package io.sandboxspi;

import java.time.Duration;
import java.util.NoSuchElementException;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What a start, write or poll collected.
 *
 * @param liveId the PTY's id while it can be used; empty once it has ended (spec S-PTY-04)
 * @param output new output as text, each byte delivered once and in order (spec S-OUT-01)
 * @param endReason why it ended; empty while it lives
 * @param exit how the process ended, where known; empty while it lives
 * @param originalTokens tokens before truncation; empty when nothing was cut
 * @param droppedBytes bytes that did not fit the buffer since the last update (spec S-OUT-03)
 * @param outputIncomplete whether output may be missing at the end (spec S-EXEC-07)
 * @param duration how long the call took
 */
public record PtyUpdate(
    OptionalInt liveId,
    String output,
    Optional<PtyEndReason> endReason,
    Optional<ExitStatus> exit,
    OptionalInt originalTokens,
    long droppedBytes,
    boolean outputIncomplete,
    Duration duration) {

  /**
   * The id to go on with.
   *
   * @throws NoSuchElementException when the PTY has ended; see {@link #running()}
   */
  public int id() {
    return liveId.orElseThrow(
        () -> new NoSuchElementException("the PTY has ended: " + endReason.orElseThrow()));
  }

  /** Whether the PTY can still be used. */
  public boolean running() {
    return liveId.isPresent();
  }

  /** The exit code; empty while it lives and when it was signalled, killed or lost. */
  public OptionalInt exitCode() {
    return exit.isPresent() && exit.get() instanceof ExitStatus.Exited exited
        ? OptionalInt.of(exited.code())
        : OptionalInt.empty();
  }

  /** Facts without the output, which may hold secrets. */
  @Override
  public String toString() {
    return "PtyUpdate[liveId="
        + liveId
        + ", characters="
        + output.length()
        + ", endReason="
        + endReason
        + ", exit="
        + exit
        + ", outputIncomplete="
        + outputIncomplete
        + "]";
  }
}
