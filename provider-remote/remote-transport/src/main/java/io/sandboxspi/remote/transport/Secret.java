package io.sandboxspi.remote.transport;

import io.sandboxspi.SandboxException;

/** Text that is never shown: a key, a token, a signed part of an address. Immutable. */
public final class Secret {
  private final String value;

  private Secret(String value) {
    this.value = value;
  }

  /**
   * Wraps a secret.
   *
   * @param name what it is, for the error; never the value
   * @param value not empty, printable ASCII, so that it fits into a header
   */
  public static Secret of(String name, String value) {
    if (value.isEmpty() || !value.chars().allMatch(c -> c > ' ' && c < 0x7f)) {
      throw SandboxException.invalid(
          name, "a secret with other characters", "printable ASCII without spaces, not empty");
    }
    return new Secret(value);
  }

  /** The value, to be sent and not kept. */
  public String reveal() {
    return value;
  }

  /** The text with each occurrence of the secret replaced. */
  public String hideIn(String text) {
    return text.replace(value, "***");
  }

  @Override
  public boolean equals(Object other) {
    return other instanceof Secret that && value.equals(that.value);
  }

  @Override
  public int hashCode() {
    return value.hashCode();
  }

  /** Three stars. */
  @Override
  public String toString() {
    return "***";
  }
}
