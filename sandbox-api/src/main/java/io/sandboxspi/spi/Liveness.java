package io.sandboxspi.spi;

/** Whether a backend lives. */
public enum Liveness {
  /** It answered. */
  RUNNING,
  /** It is proven not to exist any more. */
  GONE,
  /** Nothing is proven. */
  UNKNOWN
}
