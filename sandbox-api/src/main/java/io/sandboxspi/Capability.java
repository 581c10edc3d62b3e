package io.sandboxspi;

/**
 * What a provider can do. A declared capability must work and an undeclared one must refuse with
 * {@link ErrorCode#UNSUPPORTED}; the conformance kit measures both (spec S-CAP-01, S-CAP-02).
 */
public enum Capability {
  /** Processes can have a controlling terminal. */
  TTY,
  /** Input can be written after a process has started. */
  STDIN_AFTER_START,
  /** The exit code reported is the one of the command. */
  EXIT_CODE_RELIABLE,
  /** Standard error of a process without terminal arrives apart from its standard output. */
  SEPARATE_STDERR,
  /** The terminal's size can be changed while the process runs. */
  RESIZE,
  /** Signals other than the final kill can be sent. */
  SIGNALS,
  /** Ending a process ends its whole process group, also when the leader has gone. */
  KILL_GROUP,
  /** Ending a process also ends descendants that left its group or session. */
  KILL_ESCAPED,
  /** A process can be ended by the id chosen before its launch. */
  CLIENT_CHOSEN_ID,
  /** A backend can be attached to again from its reference. */
  REATTACH,
  /** The provider takes snapshots of its backends by itself. */
  NATIVE_SNAPSHOTS,
  /** Ports that were declared at creation can be reached from outside. */
  PORTS,
  /** Backends can be listed with who made them, so that orphans are found. */
  LIST,
  /** Commands and file calls can be another user's, and manifests can name users. */
  USERS,
  /** Commands cannot see the host's processes, files and network. */
  CONFINED
}
