package io.sandboxspi.local.driver;

import java.io.IOException;

/** Input was not taken before the deadline; the buffer's position tells how much was. */
public final class InputTimeoutException extends IOException {
  private static final long serialVersionUID = 1L;

  /** With one sentence. */
  public InputTimeoutException(String message) {
    super(message);
  }
}
