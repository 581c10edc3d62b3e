package io.sandboxspi.core.session;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * A bounded call of a closing step, on the cleanup lane. One that is stuck from a run before is
 * joined; if it ended well meanwhile, that counts. Used by one run at a time.
 */
final class ClosingCall<T> {
  private final SessionCore core;
  private final Operation operation;
  private final ErrorCode code;
  private final String what;
  private @Nullable LaneTask<T> task;

  /** The call. */
  interface Body<T> {
    T run(Deadline deadline) throws InterruptedException;
  }

  ClosingCall(SessionCore core, Operation operation, ErrorCode code, String what) {
    this.core = core;
    this.operation = operation;
    this.code = code;
    this.what = what;
  }

  /**
   * Makes or joins the call and waits for it within the limit.
   *
   * @return why it failed; empty when it ended well
   */
  Optional<Throwable> run(Duration limit, Body<T> body) {
    LaneTask<T> current = task;
    if (current == null || !joins()) {
      Deadline deadline = core.clock().deadline(limit);
      current = core.cleanup().call(() -> marked(body, deadline));
      task = current;
    }
    CompletableFuture<Boolean> passed = new CompletableFuture<>();
    Registration timer = core.clock().schedule(limit, () -> passed.complete(true));
    CompletableFuture<Object> either = CompletableFuture.anyOf(current, passed);
    try (Caller caller = Caller.enter(core.clock())) {
      caller.settle(either, core.clock().never());
    }
    timer.close();
    if (!current.isDone()) {
      current.interrupt();
      return Optional.of(timeout(limit));
    }
    Throwable failure = current.handle((value, thrown) -> thrown).join();
    return Optional.ofNullable(failure).map(this::wrapped);
  }

  private T marked(Body<T> body, Deadline deadline) throws InterruptedException {
    try (Registration mark = core.enterClosing()) {
      return body.run(deadline);
    }
  }

  /** Whether a call is under way or ended well, which the next run joins. */
  boolean joins() {
    LaneTask<T> current = task;
    return current != null && !current.isCompletedExceptionally();
  }

  /** What a call that ended well answered. */
  T value() {
    LaneTask<T> ended = task;
    if (ended == null) {
      throw new IllegalStateException("nothing was called");
    }
    return ended.join();
  }

  /** The next run joins only a call that is under way. */
  void forgetEnded() {
    LaneTask<T> current = task;
    if (current != null && current.isDone()) {
      task = null;
    }
  }

  /** The next run makes a call of its own. */
  void forget() {
    task = null;
  }

  private SandboxException timeout(Duration limit) {
    return SandboxException.builder(code, operation, what + " did not end in " + limit)
        .retryable(Retryable.YES)
        .build();
  }

  /** As a caller sees it. */
  Throwable wrapped(Throwable failure) {
    return failure instanceof SandboxException
        ? failure
        : SandboxException.builder(code, operation, what + " failed")
            .cause(failure)
            .retryable(Retryable.UNKNOWN)
            .build();
  }
}
