package io.sandboxspi;

import java.time.Duration;
import java.time.Instant;
import java.util.Optional;

/** Something that happened in a session; never holds secrets or output (spec S-EVT-03). */
public sealed interface SandboxEvent {
  /** The session. */
  String sessionId();

  /**
   * Counts up from 1 in each session; a gap is what the listener was too slow for (spec S-EVT-02).
   */
  long sequence();

  /** When it happened. */
  Instant time();

  /**
   * An operation began.
   *
   * @param span joins the start with its finish
   * @param subject what it is about: a program, a PTY id or a path; may be empty
   */
  record Started(
      String sessionId, long sequence, Instant time, long span, Operation operation, String subject)
      implements SandboxEvent {}

  /**
   * An operation ended, also when it was cancelled.
   *
   * @param span joins the finish with its start
   * @param error the code when the outcome is {@link Outcome#ERROR} and it is known
   * @param duration from start to finish
   */
  record Finished(
      String sessionId,
      long sequence,
      Instant time,
      long span,
      Operation operation,
      String subject,
      Outcome outcome,
      Optional<ErrorCode> error,
      Duration duration)
      implements SandboxEvent {}

  /**
   * A process could not be proven ended, or was proven ended later; its owner is the session.
   *
   * @param processId the launch id
   * @param retained whether it is retained now; {@code false} when it was proven ended
   * @param detail one sentence
   */
  record Retention(
      String sessionId,
      long sequence,
      Instant time,
      String processId,
      boolean retained,
      String detail)
      implements SandboxEvent {}

  /**
   * A backend says how an operation that takes long goes on (spec S-EVT-06).
   *
   * @param operation what is under way
   * @param detail one sentence
   */
  record Progress(String sessionId, long sequence, Instant time, Operation operation, String detail)
      implements SandboxEvent {}

  /**
   * The number of PTYs rose to the warning mark.
   *
   * @param live how many live
   * @param limit how many can live
   */
  record PtyPressure(String sessionId, long sequence, Instant time, int live, int limit)
      implements SandboxEvent {}

  /** How an operation ended. */
  enum Outcome {
    /** It did what it should. */
    OK,
    /** It failed. */
    ERROR,
    /** Its caller was cancelled. */
    CANCELLED
  }
}
