package io.sandboxspi;

/** What a caller or the engine was doing; names errors and events (spec S-EVT-01). */
public enum Operation {
  /** Checking a value. */
  VALIDATE,
  /** Finding a provider, or the backends of one. */
  DISCOVER,
  /** Creating a backend and its session. */
  CREATE,
  /** Running a command to its end. */
  EXEC,
  /** Starting a command in the background. */
  COMMAND_START,
  /** Starting a PTY. */
  PTY_START,
  /** Writing to a PTY. */
  PTY_WRITE,
  /** Collecting output of a PTY without writing. */
  PTY_POLL,
  /** Changing a terminal's size. */
  PTY_RESIZE,
  /** Sending a signal to a PTY. */
  PTY_SIGNAL,
  /** Opening a live stream on a PTY. */
  PTY_ATTACH,
  /** Ending one PTY. */
  PTY_TERMINATE,
  /** Ending every process of a session. */
  PTY_TERMINATE_ALL,
  /** Ending the least useful PTY to make room. */
  PTY_PRUNE,
  /** Reading a file. */
  FILE_READ,
  /** Writing a file. */
  FILE_WRITE,
  /** Describing a file. */
  FILE_STAT,
  /** Listing a directory. */
  FILE_LIST,
  /** Making a directory. */
  FILE_MAKE_DIRECTORY,
  /** Removing a file or directory. */
  FILE_REMOVE,
  /** Renaming a file or directory. */
  FILE_MOVE,
  /** Changing the permissions of a file or directory. */
  FILE_PERMISSIONS,
  /** Copying files into a sandbox. */
  FILE_UPLOAD,
  /** Copying files out of a sandbox. */
  FILE_DOWNLOAD,
  /** Writing a directory as an archive. */
  ARCHIVE_PERSIST,
  /** Replacing a directory's content with an archive's. */
  ARCHIVE_HYDRATE,
  /** Unpacking an archive into a directory. */
  ARCHIVE_EXTRACT,
  /** Saving the workspace. */
  SNAPSHOT,
  /** Opening a session from a checkpoint. */
  RESUME,
  /** Filling a workspace from a snapshot. */
  RESTORE,
  /** Taking or reading a checkpoint. */
  CHECKPOINT,
  /** Leaving a backend to itself. */
  DETACH,
  /** Finding where a port is reached. */
  ENDPOINT,
  /** Putting what a manifest says into a fresh workspace. */
  MANIFEST_APPLY,
  /** Asking whether a backend lives. */
  PROBE,
  /** Stopping a session. */
  STOP,
  /** Shutting a session down. */
  SHUTDOWN,
  /** Closing a session. */
  CLOSE,
  /** Deleting a backend. */
  DELETE,
  /** Waiting in a {@link CallScope}. */
  SCOPE
}
