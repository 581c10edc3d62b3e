package io.sandboxspi.spi;

/** Whether a provider can work here. */
public sealed interface Availability {
  /** It can. */
  enum Available implements Availability {
    /** The only value. */
    INSTANCE
  }

  /**
   * It cannot.
   *
   * @param reason what is missing and how to get it, one sentence
   */
  record Unavailable(String reason) implements Availability {}

  /** It can. */
  static Availability available() {
    return Available.INSTANCE;
  }

  /** It cannot, for this reason. */
  static Availability unavailable(String reason) {
    return new Unavailable(reason);
  }
}
