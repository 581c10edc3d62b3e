package io.sandboxspi.tck.fault;

/** Where the decorator stands between the engine and the provider. */
public enum FaultPoint {
  /** {@code create} was called, the provider was not. */
  CREATE_BEFORE,
  /** The backend is made, the engine has not got it yet. */
  CREATE_RETURN,
  /** {@code attach} was called, the provider was not. */
  ATTACH_BEFORE,
  /** {@code launch} was called, the provider was not. */
  OPEN_BEFORE,
  /** The process is launched; a failure here leaves the engine without a handle. */
  OPEN_AFTER_BACKEND,
  /** The handle exists and is about to be handed over, perhaps late. */
  OPEN_RETURN,
  /** {@code write} was called, nothing was written. */
  SEND_BEFORE,
  /** The first bytes of a write were taken; see {@link FaultRule#bytes}. */
  SEND_PARTIAL,
  /** All bytes were taken. */
  SEND_AFTER,
  /** {@code closeInput} was called, the provider was not. */
  CLOSE_INPUT_BEFORE,
  /** The provider delivers a chunk of output. */
  OUT_CHUNK,
  /** The provider says that the output has ended. */
  OUT_CLOSED,
  /** The provider reports the end of the process. */
  EXIT,
  /** A kill was asked for, the provider was not. */
  KILL_BEFORE,
  /** The provider has answered a kill. */
  KILL_AFTER_BACKEND,
  /** The answer of a kill is about to be handed over. */
  KILL_RETURN,
  /** {@code release} of a process was called, the provider was not. */
  RELEASE_BEFORE,
  /** The process is released. */
  RELEASE_RETURN,
  /** A file operation was called, the provider was not. */
  FILE_BEFORE,
  /** {@code probe} was called, the provider was not. */
  PROBE_BEFORE,
  /** A snapshot is to be saved, the store was not asked yet. */
  SNAPSHOT_BEFORE,
  /** The workspace is archived into the store; it is not definitive yet. */
  SNAPSHOT_ARCHIVED,
  /** The snapshot is definitive, the engine does not know it yet. */
  SNAPSHOT_RETURN,
  /** A snapshot is to be read, the store was not asked yet. */
  SNAPSHOT_OPEN,
  /** {@code detach} of the backend was called, the provider was not. */
  DETACH_BEFORE,
  /** {@code release} of the backend was called, the provider was not. */
  BACKEND_RELEASE_BEFORE,
  /** The backend is released, the engine does not know it yet. */
  BACKEND_RELEASE_RETURN,
  /** {@code delete} was called, the provider was not. */
  DELETE_BEFORE,
  /** The backend is deleted, the engine does not know it yet. */
  DELETE_RETURN
}
