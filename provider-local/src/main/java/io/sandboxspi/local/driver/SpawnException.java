package io.sandboxspi.local.driver;

/**
 * A process could not be started; nothing of it is left. The message never holds arguments or
 * values of variables.
 */
public final class SpawnException extends Exception {
  private static final long serialVersionUID = 1L;

  /** Why. */
  public enum Kind {
    /** The program does not exist. */
    NOT_FOUND,
    /** It exists but cannot be executed: permission, a directory, no interpreter, wrong format. */
    NOT_EXECUTABLE,
    /** The working directory does not exist, is no directory or may not be entered. */
    BAD_DIRECTORY,
    /** The machine has no room now: descriptors, processes, terminals or memory. */
    LIMIT,
    /** The request itself can never work. */
    INVALID,
    /** Anything else. */
    OTHER
  }

  private final Kind kind;
  private final int errno;

  /**
   * A failure.
   *
   * @param errno the system's error number; 0 if there was none
   */
  public SpawnException(Kind kind, int errno, String message) {
    super(errno == 0 ? message : message + " (errno " + errno + ")");
    this.kind = kind;
    this.errno = errno;
  }

  static SpawnException invalid(String message) {
    return new SpawnException(Kind.INVALID, 0, message);
  }

  /** Why. */
  public Kind kind() {
    return kind;
  }

  /** The system's error number; 0 if there was none. */
  public int errno() {
    return errno;
  }
}
