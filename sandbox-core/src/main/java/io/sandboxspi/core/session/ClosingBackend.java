package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.Optional;

/**
 * The steps that part a session from its backend: each is made until it has succeeded once. Used by
 * one closing run at a time.
 */
final class ClosingBackend {
  private final SessionCore core;
  private final ClosingCall<TerminationOutcome> others;
  private final ClosingCall<Boolean> detaching;
  private final ClosingCall<ReleaseOutcome> releasing;
  private final ClosingCall<ReleaseOutcome> deleting;
  private boolean detached;
  private boolean released;
  private boolean deleted;

  ClosingBackend(SessionCore core) {
    this.core = core;
    ErrorCode release = ErrorCode.BACKEND_RELEASE_FAILED;
    this.others =
        new ClosingCall<>(
            core,
            Operation.STOP,
            ErrorCode.TERMINATION_UNCONFIRMED,
            "ending what others have launched");
    this.detaching = new ClosingCall<>(core, Operation.DETACH, release, "leaving the backend");
    this.releasing = new ClosingCall<>(core, Operation.SHUTDOWN, release, "releasing the backend");
    this.deleting = new ClosingCall<>(core, Operation.DELETE, release, "deleting the backend");
  }

  boolean detached() {
    return detached;
  }

  boolean released() {
    return released;
  }

  boolean deleted() {
    return deleted;
  }

  /** What runs in a backend that more than one can be attached to is not only ours. */
  void endOthers(ClosingFailures failures) {
    if (released || !core.capabilities().contains(Capability.REATTACH)) {
      return;
    }
    others.forgetEnded();
    Optional<Throwable> failure =
        others.run(core.spec().timings().kill(), deadline -> core.backend().killOthers(deadline));
    if (failure.isEmpty() && others.value() instanceof TerminationOutcome.Unconfirmed living) {
      failure = Optional.of(others.wrapped(living.cause()));
    }
    failure.ifPresent(cause -> failures.add(cause, true));
  }

  void detach(ClosingFailures failures) {
    if (detached) {
      return;
    }
    detaching
        .run(
            core.spec().timings().release(),
            deadline -> {
              core.backend().detach(deadline);
              return true;
            })
        .ifPresentOrElse(failure -> failures.add(failure, false), () -> detached = true);
  }

  void release(ClosingFailures failures) {
    if (!released) {
      Optional<Throwable> failure =
          releasing.run(
              core.spec().timings().release(), deadline -> core.backend().release(deadline));
      released = ended(releasing, failure, failures);
    }
  }

  void delete(ClosingFailures failures) {
    if (!deleted) {
      Optional<Throwable> failure =
          deleting.run(
              core.spec().timings().release(),
              deadline -> core.provider().delete(core.backend().ref(), deadline));
      deleted = ended(deleting, failure, failures);
      if (deleted) {
        core.recovery().backendGone();
      }
    }
  }

  /** Whether a call that ends the backend ended well, and what that proves. */
  private boolean ended(
      ClosingCall<ReleaseOutcome> call, Optional<Throwable> failure, ClosingFailures failures) {
    boolean gone =
        failure.isPresent()
            && failure.get() instanceof SandboxException e
            && e.code() == ErrorCode.BACKEND_GONE;
    if (failure.isPresent() && !gone) {
      failures.add(failure.get(), false);
      return false;
    }
    if (gone || call.value().provesProcessesEnded()) {
      // The backend is destroyed: that proves the end of all that ran in it (spec S-CLEAN-08).
      try (Caller caller = Caller.enter(core.clock())) {
        core.helper().settle(core.helper().confirmAll(), caller);
      }
      failures.processesProven();
    }
    return true;
  }
}
