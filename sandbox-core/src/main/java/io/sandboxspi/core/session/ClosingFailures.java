package io.sandboxspi.core.session;

import java.util.ArrayList;
import java.util.List;

/**
 * Failures of a closing run in their order; those of a kill go when the backend's end has proven
 * the processes ended.
 */
final class ClosingFailures {
  private record Failure(Throwable cause, boolean unproven) {}

  private final List<Failure> all = new ArrayList<>();

  void add(Throwable cause, boolean unproven) {
    all.add(new Failure(cause, unproven));
  }

  /** Whether a process may live. */
  boolean unproven() {
    return all.stream().anyMatch(Failure::unproven);
  }

  void processesProven() {
    all.removeIf(Failure::unproven);
  }

  List<Throwable> causes() {
    return all.stream().map(Failure::cause).toList();
  }
}
