package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SessionState;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.SandboxProcess;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/**
 * Launches processes so that each is owned before it may exist (spec S-CLEAN-01, S-CLEAN-11): a
 * launch that fails, is cancelled or answers late is ended by its id.
 */
final class Launcher {
  private final SessionCore core;

  Launcher(SessionCore core) {
    this.core = core;
  }

  /**
   * Launches; when this returns, the process is open and its handle attached.
   *
   * @throws SandboxException the launch's own failure, with cleanup failures suppressed under it
   */
  void launch(
      ProcessEntry entry,
      LaunchRequest request,
      Duration openTimeout,
      Operation operation,
      Caller caller)
      throws InterruptedException {
    CompletableFuture<SandboxProcess> opening = new CompletableFuture<>();
    core.helper().own(entry, opening);
    if (core.gate().state() != SessionState.ACTIVE) {
      // A closing step that began meanwhile may have missed this entry; none is launched.
      opening.cancel(false);
      core.helper().disown(entry);
      core.gate().check(operation);
    }
    Deadline deadline = core.clock().deadline(openTimeout);
    LaneTask<SandboxProcess> task =
        core.launches()
            .call(
                () -> {
                  SandboxProcess process = core.backend().launch(request, entry, deadline);
                  entry.attach(process);
                  // Before the caller can end it: else its handle would count as a late one.
                  opening.complete(process);
                  return process;
                });
    entry.track(task);
    Callback.when(
        task,
        (process, failure) -> {
          if (failure != null) {
            opening.completeExceptionally(failure);
          }
        });
    Caller.Wait wait = caller.await(task, deadline);
    if (wait == Caller.Wait.DONE && !task.isCompletedExceptionally()) {
      return;
    }
    // Asked before it is ended here: who ended it decides what failed.
    RuntimeException failure =
        wait == Caller.Wait.DONE
            ? failure(entry, operation, task)
            : timeout(entry, operation, openTimeout);
    task.interrupt();
    var cleanup = core.end(List.of(entry));
    if (wait == Caller.Wait.CANCELLED) {
      core.helper().cleanUp(cleanup, caller);
    }
    core.helper().cleanUpAfter(failure, cleanup, caller);
    throw failure;
  }

  private RuntimeException failure(
      ProcessEntry entry, Operation operation, LaneTask<SandboxProcess> task) {
    Throwable cause = task.handle((process, thrown) -> thrown).join();
    if (entry.killed()) {
      return ended(operation, cause);
    }
    if (cause instanceof SandboxException e) {
      return e;
    }
    return SandboxException.builder(
            ErrorCode.LAUNCH_FAILED, operation, "the provider failed to launch " + entry.program())
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  private static SandboxException ended(Operation operation, Throwable cause) {
    return SandboxException.builder(
            ErrorCode.SESSION_CLOSED, operation, "the session ended the process while it opened")
        .cause(cause)
        .retryable(Retryable.UNKNOWN)
        .build();
  }

  private static SandboxException timeout(
      ProcessEntry entry, Operation operation, Duration openTimeout) {
    return SandboxException.builder(
            ErrorCode.OPEN_TIMEOUT,
            operation,
            entry.program() + " was not open after " + openTimeout)
        .context("openTimeout", openTimeout)
        .retryable(Retryable.UNKNOWN)
        .build();
  }
}
