package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SessionState;

/** Refuses calls outside {@link SessionState#ACTIVE} (spec S-LIFE-01). Thread-safe. */
final class Gate {
  private volatile SessionState state = SessionState.ACTIVE;

  SessionState state() {
    return state;
  }

  void set(SessionState value) {
    state = value;
  }

  void check(Operation operation) {
    SessionState now = state;
    if (now != SessionState.ACTIVE) {
      throw SandboxException.builder(
              ErrorCode.SESSION_CLOSED,
              operation,
              "the session is " + (now == SessionState.CLOSED ? "closed" : "closing"))
          .context("state", now)
          .build();
    }
  }
}
