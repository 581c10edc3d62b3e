package io.sandboxspi.docker.engine;

/** The engine did not answer, or not as it should. What it refuses is a {@link Refusal}. */
public final class EngineException extends RuntimeException {
  private static final long serialVersionUID = 1L;

  /** What went wrong. */
  public enum Kind {
    /** No connection: nothing was sent. */
    UNREACHABLE,
    /** The deadline passed. */
    TIMEOUT,
    /** The caller was interrupted. */
    INTERRUPTED,
    /** The connection broke. */
    BROKEN,
    /** The answer is not HTTP, or not of this API. */
    MALFORMED
  }

  private final Kind kind;

  /** With one sentence. */
  public EngineException(Kind kind, String message) {
    super(message);
    this.kind = kind;
  }

  /** With one sentence and a cause. */
  public EngineException(Kind kind, String message, Throwable cause) {
    super(message, cause);
    this.kind = kind;
  }

  /** What went wrong. */
  public Kind kind() {
    return kind;
  }
}
