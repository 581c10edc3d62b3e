package io.sandboxspi;

/** Whether the same call may succeed when it is sent again (spec S-ERR-02). */
public enum Retryable {
  /** The operation provably had no effect; repeating it is safe. */
  YES,
  /** Repeating it unchanged cannot help. */
  NO,
  /** Unknown: the operation may have had its effect. */
  UNKNOWN
}
