package io.sandboxspi.spi;

/** What is known after a release or deletion that did not fail. */
public enum ReleaseOutcome {
  /** Done; nothing is said about processes. */
  DONE,
  /** The backend is destroyed: that proves every process in it ended (spec S-CLEAN-08). */
  DESTROYED,
  /** It is stopped and can be started again: that proves every process in it ended. */
  STOPPED,
  /** It was gone before: that proves every process in it ended. */
  ALREADY_GONE;

  /** Whether every process of the backend is proven ended. */
  public boolean provesProcessesEnded() {
    return this != DONE;
  }
}
