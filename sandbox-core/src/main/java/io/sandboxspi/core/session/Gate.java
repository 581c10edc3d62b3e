package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SessionState;

/** Refuses calls outside {@link SessionState#ACTIVE} (spec S-LIFE-01). Thread-safe. */
final class Gate {
  private volatile SessionState state = SessionState.ACTIVE;
  private volatile boolean used = true;

  SessionState state() {
    return state;
  }

  void set(SessionState value) {
    state = value;
  }

  /** From now on it is told whether anything was asked for. */
  void unused() {
    used = false;
  }

  /** Whether anything was asked for that may have changed the workspace. */
  boolean used() {
    return used;
  }

  void check(Operation operation) {
    if (!used) {
      used = true;
    }
    SessionState now = state;
    if (now != SessionState.ACTIVE) {
      throw closed(operation, now);
    }
  }

  static SandboxException closed(Operation operation, SessionState now) {
    return SandboxException.builder(
            ErrorCode.SESSION_CLOSED,
            operation,
            "the session is " + (now == SessionState.CLOSED ? "closed" : "closing"))
        .context("state", now)
        .build();
  }
}
