package io.sandboxspi.local.driver;

import java.io.IOException;

/** The process takes no more input: it has ended, closed it, or the caller has. */
public final class ClosedInputException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With one sentence. */
  public ClosedInputException(String message) {
    super(message);
  }
}
