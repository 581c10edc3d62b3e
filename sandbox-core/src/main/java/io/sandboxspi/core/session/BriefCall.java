package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SandboxProcess;
import java.time.Duration;

/**
 * Calls to a process that are short by nature, as a resize: bounded, through interrupts, and no
 * error when the process has just ended (spec S-PTY-11).
 */
final class BriefCall {
  private static final Duration LIMIT = Duration.ofSeconds(5);

  private BriefCall() {}

  /** The call. */
  interface Action {
    void run(SandboxProcess process, Deadline deadline) throws InterruptedException;
  }

  static void run(SessionCore core, ProcessEntry entry, Operation operation, Action action) {
    core.gate().check(operation);
    SandboxProcess process = entry.process().orElse(null);
    if (process == null || entry.exited() || entry.killed()) {
      return;
    }
    Deadline deadline = core.clock().deadline(LIMIT);
    LaneTask<Boolean> task =
        core.work()
            .call(
                () -> {
                  action.run(process, deadline);
                  return true;
                });
    entry.track(task);
    try (Caller caller = Caller.enter(core.clock())) {
      if (caller.settle(task, deadline) == Caller.Wait.DEADLINE) {
        task.interrupt();
        throw SandboxException.builder(
                ErrorCode.BACKEND_UNRESPONSIVE, operation, "the backend did not answer in " + LIMIT)
            .retryable(Retryable.UNKNOWN)
            .build();
      }
    }
    Throwable failure = task.handle((ok, thrown) -> thrown).join();
    if (failure == null || entry.exited() || entry.killed()) {
      return;
    }
    if (failure instanceof RuntimeException e) {
      throw e;
    }
    throw SandboxException.builder(ErrorCode.TRANSPORT, operation, "the backend failed")
        .cause(failure)
        .retryable(Retryable.UNKNOWN)
        .build();
  }
}
