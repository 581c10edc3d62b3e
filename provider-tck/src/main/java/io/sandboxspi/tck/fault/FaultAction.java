package io.sandboxspi.tck.fault;

import java.util.function.Supplier;

/** What happens at a point when its rule matches. */
sealed interface FaultAction {
  /** Throws. */
  record Fail(Supplier<? extends Throwable> failure) implements FaultAction {}

  /** Waits at a gate, then goes on. */
  record Block(Gate gate) implements FaultAction {}

  /** Runs something of the test, then goes on. */
  record Run(Runnable action) implements FaultAction {}

  /** Answers in place of the provider. */
  record Answer(Object value) implements FaultAction {}

  /** Loses the event or breaks the connection. */
  record Drop() implements FaultAction {}

  /** Delivers the first bytes of a chunk apart from the rest. */
  record Split(int at) implements FaultAction {}

  /** Keeps this chunk and all that follows until the gate opens. */
  record Hold(Gate gate) implements FaultAction {}

  /** Delivers only the first bytes of a chunk now; the rest and all that follows at the gate. */
  record Cut(int at, Gate gate) implements FaultAction {}
}
