package io.sandboxspi.core.session;

/** Places where a test can hold the engine to pin an interleaving. */
public enum HookPoint {
  /** A launch has succeeded; the PTY gets its id next. */
  REG_BEFORE_INSERT,
  /** The PTY has its id. */
  REG_AFTER_INSERT,
  /** PTYs have left the look-up; their cleanup begins next. */
  REG_AFTER_DETACH,
  /** A call begins to collect output. */
  COLLECT_START,
  /** A caller begins to wait for cleanup that has begun. */
  SETTLE_BEFORE
}
