package io.sandboxspi.local.driver.posix;

/** Waits for many descriptors; level-triggered, with the event bits of {@link Posix}. */
public interface Selector {
  /**
   * Watches, changes what is watched for, or with no events stops watching. From any thread, for an
   * open descriptor.
   *
   * @param before what was watched for until now; 0 for not watched
   * @return false when the system has no room for it
   */
  boolean change(int fd, int before, int events, long token);

  /**
   * Whether a change takes effect while {@link #select} waits, and a descriptor may be closed then.
   */
  boolean concurrent();

  /** Waits; returns how many are ready, at most. */
  int select(int timeoutMillis);

  /** The token of a ready descriptor. */
  long token(int index);

  /** The events of a ready descriptor; 0 if it is not ready after all. */
  int events(int index);

  /** Gives up its own resources. */
  void close();
}
