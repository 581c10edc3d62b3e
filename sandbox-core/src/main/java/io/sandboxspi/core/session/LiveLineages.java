package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The sessions of this JVM by their lineage: a sandbox is not resumed while one of them may still
 * change what a checkpoint refers to (spec S-RESUME-01). Thread-safe.
 */
final class LiveLineages {
  private static final Map<String, Set<SessionCloser>> OPEN = new ConcurrentHashMap<>();

  private LiveLineages() {}

  static void add(String lineage, SessionCloser closer) {
    OPEN.compute(
        lineage,
        (key, there) -> {
          Set<SessionCloser> all = there == null ? ConcurrentHashMap.newKeySet() : there;
          all.add(closer);
          return all;
        });
  }

  static void remove(String lineage, SessionCloser closer) {
    OPEN.computeIfPresent(
        lineage,
        (key, all) -> {
          all.remove(closer);
          return all.isEmpty() ? null : all;
        });
  }

  /** Refuses while a cleanup is under way or waits for its retry. */
  static void check(String lineage, Operation operation) {
    Set<SessionCloser> all = OPEN.get(lineage);
    if (all != null && all.stream().anyMatch(SessionCloser::pending)) {
      throw pending(operation);
    }
  }

  static SandboxException pending(Operation operation) {
    return SandboxException.builder(
            ErrorCode.CHECKPOINT_PENDING,
            operation,
            "a stop, shutdown or close of the session is not over; end or repeat it first")
        .retryable(Retryable.YES)
        .build();
  }
}
