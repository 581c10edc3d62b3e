package io.sandboxspi.spi;

/** The process takes no more input, most often because it has just ended. */
public final class InputClosedException extends Exception {
  private static final long serialVersionUID = 1L;

  /** With one sentence. */
  public InputClosedException(String message) {
    super(message);
  }
}
