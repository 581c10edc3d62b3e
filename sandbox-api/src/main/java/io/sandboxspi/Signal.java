package io.sandboxspi;

/** Signals that can be sent to a process, by their POSIX names. */
public enum Signal {
  /** Terminal gone. */
  HUP,
  /** Interrupt, as Ctrl-C. */
  INT,
  /** Quit, as Ctrl-\. */
  QUIT,
  /** Polite end. */
  TERM,
  /** Forced end. */
  KILL,
  /** User-defined 1. */
  USR1,
  /** User-defined 2. */
  USR2,
  /** Stop. */
  STOP,
  /** Continue. */
  CONT,
  /** Stop from the terminal, as Ctrl-Z. */
  TSTP
}
