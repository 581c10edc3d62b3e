package io.sandboxspi;

/** Where a session is in its life (spec S-LIFE-01). */
public enum SessionState {
  /** Calls are served. */
  ACTIVE,
  /** Calls are refused; a stop, shutdown or close runs, or waits for its retry. */
  CLOSING,
  /** Calls are refused; every process is proven ended and the backend released. */
  CLOSED
}
