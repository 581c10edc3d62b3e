package io.sandboxspi;

/** Why a PTY ended (spec S-EXIT-03). */
public enum PtyEndReason {
  /** The process ended by itself or by a signal of its own. */
  EXITED,
  /** The session ended it: terminate, prune, lifetime, stop or close. */
  KILLED,
  /** Its connection broke; nothing is known of its exit. */
  LOST
}
