package io.sandboxspi.spi;

/**
 * What is known after an attempt to end a process (spec S-CLEAN-07). An attempt that returned is no
 * proof; only evidence from the backend is.
 */
public sealed interface TerminationOutcome {
  /** It lived and is proven ended, with its whole group. */
  enum Confirmed implements TerminationOutcome {
    /** The only value. */
    INSTANCE
  }

  /** It is proven that nothing of it lived. */
  enum AlreadyGone implements TerminationOutcome {
    /** The only value. */
    INSTANCE
  }

  /**
   * Nothing is proven.
   *
   * @param cause why; never holds secrets
   */
  record Unconfirmed(Throwable cause) implements TerminationOutcome {}

  /** It lived and is proven ended. */
  static TerminationOutcome confirmed() {
    return Confirmed.INSTANCE;
  }

  /** It is proven that nothing of it lived. */
  static TerminationOutcome alreadyGone() {
    return AlreadyGone.INSTANCE;
  }

  /** Nothing is proven. */
  static TerminationOutcome unconfirmed(Throwable cause) {
    return new Unconfirmed(cause);
  }

  /** Whether the process is proven ended. */
  default boolean proven() {
    return !(this instanceof Unconfirmed);
  }
}
