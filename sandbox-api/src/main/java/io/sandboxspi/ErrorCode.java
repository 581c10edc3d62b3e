package io.sandboxspi;

/**
 * Stable classification of a {@link SandboxException}; control flow reads this and never message
 * text (spec S-ERR-01).
 */
public enum ErrorCode {
  /** A caller's value is out of range or malformed; nothing was made. */
  INVALID_ARGUMENT,
  /** No provider has the requested name. */
  PROVIDER_NOT_FOUND,
  /** The provider exists but cannot work here: wrong platform, missing tool or key. */
  PROVIDER_UNAVAILABLE,
  /** Two providers on the class path claim the same name. */
  PROVIDER_CONFLICT,
  /** The provider lacks the capability that the call needs. */
  UNSUPPORTED,
  /** Creating the backend failed. */
  CREATE_FAILED,
  /** The backend is proven not to exist any more. */
  BACKEND_GONE,
  /** The backend exists but runs nothing: it was stopped or paused. */
  BACKEND_NOT_RUNNING,
  /** The backend did not answer before the deadline; whether it did what was asked is not known. */
  BACKEND_UNRESPONSIVE,
  /** The session is closing or closed. */
  SESSION_CLOSED,
  /** The program was not found; only without a shell, which would exit with 127. */
  COMMAND_NOT_FOUND,
  /** The program exists but cannot be executed. */
  COMMAND_NOT_EXECUTABLE,
  /** The working directory of a launch does not exist or is not a directory. */
  WORKING_DIRECTORY_NOT_FOUND,
  /** The sandbox has no account of that name; nothing was started. */
  USER_NOT_FOUND,
  /** The process could not be started for another reason. */
  LAUNCH_FAILED,
  /** The process was not open within {@code openTimeout}. */
  OPEN_TIMEOUT,
  /** A command ran longer than its timeout and was killed. */
  EXEC_TIMEOUT,
  /** The connection to a process or backend failed. */
  TRANSPORT,
  /** No PTY of this session has the id: never had, ended, pruned or terminated. */
  PTY_NOT_FOUND,
  /** The PTY has a live stream already. */
  ALREADY_ATTACHED,
  /** The registry is full of PTYs that are in use. */
  TOO_MANY_PTYS,
  /** The process was started without an input that stays open. */
  STDIN_UNAVAILABLE,
  /** Input was not accepted before the deadline. */
  WRITE_TIMEOUT,
  /** The end of a process could not be proven; it stays owned and is retried. */
  TERMINATION_UNCONFIRMED,
  /** Local resources of a process could not be released. */
  RELEASE_FAILED,
  /** Releasing or deleting the backend failed. */
  BACKEND_RELEASE_FAILED,
  /** A sandbox path leaves the workspace or is malformed. */
  INVALID_PATH,
  /** A file or directory does not exist. */
  FILE_NOT_FOUND,
  /** A file operation failed for another reason. */
  FILE_FAILED,
  /** A file is larger, or an archive holds more, than the caller's limit. */
  LIMIT_EXCEEDED,
  /** An archive is corrupt or a member of it is not allowed; nothing was changed. */
  INVALID_ARCHIVE,
  /** Saving a snapshot failed; what was there before is untouched. */
  SNAPSHOT_FAILED,
  /** No snapshot that can be restored is new enough; the message says which there are. */
  SNAPSHOT_NOT_FOUND,
  /** A snapshot is there but could not be restored; nothing was replaced. */
  RESTORE_FAILED,
  /** Whether the backend of a checkpoint lives could not be found out; nothing was made. */
  BACKEND_UNREACHABLE,
  /** A cleanup that may still change what a checkpoint refers to is not over. */
  CHECKPOINT_PENDING,
  /** The checkpoint is of another provider. */
  CHECKPOINT_FOREIGN,
  /** The checkpoint was written by a newer major version. */
  CHECKPOINT_TOO_NEW,
  /** The text is no checkpoint. */
  CHECKPOINT_MALFORMED,
  /** The port was not declared; the message lists those that were. */
  PORT_NOT_CONFIGURED,
  /** The backend cannot say where a port is reached. */
  PORT_UNAVAILABLE,
  /** The deadline of an enclosing {@link CallScope} passed. */
  DEADLINE_EXCEEDED,
  /** A defect: of this library or of a provider. */
  INTERNAL
}
