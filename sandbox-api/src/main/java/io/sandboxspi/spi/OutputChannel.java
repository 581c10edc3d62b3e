package io.sandboxspi.spi;

/** Which stream output came from. */
public enum OutputChannel {
  /** Standard output; everything on a terminal. */
  STDOUT,
  /** Standard error of a process without a terminal. */
  STDERR
}
