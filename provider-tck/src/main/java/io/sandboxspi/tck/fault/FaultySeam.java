package io.sandboxspi.tck.fault;

import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Optional;

/** What the decorators share: the plan, the log, and how an action is carried out. */
final class FaultySeam {
  /** For calls that were held beyond their deadline, as if they had been under way. */
  private static final Duration GRACE = Duration.ofSeconds(20);

  final FaultPlan plan;
  final CallLog log;

  FaultySeam(FaultPlan plan, CallLog log) {
    this.plan = plan;
    this.log = log;
  }

  Optional<FaultPlan.Match> meet(FaultPoint point, String tag, String detail) {
    log.add(point, tag, detail);
    return plan.match(point, tag);
  }

  /** Meets a point and acts; the answer to give in place of the provider's, if any. */
  Optional<Object> at(FaultPoint point, String tag) throws InterruptedException {
    return at(point, tag, "");
  }

  Optional<Object> at(FaultPoint point, String tag, String detail) throws InterruptedException {
    Optional<FaultPlan.Match> match = meet(point, tag, detail);
    return match.isPresent() ? act(match.get().action()) : Optional.empty();
  }

  /** As {@link #at} for calls that cannot be interrupted. */
  void quietly(FaultPoint point, String tag) {
    Optional<FaultPlan.Match> match = meet(point, tag, "");
    if (match.isEmpty()) {
      return;
    }
    if (match.get().action() instanceof FaultAction.Block block) {
      block.gate().markReached();
      boolean unused = block.gate().passUninterruptibly();
    } else if (match.get().action() instanceof FaultAction.Fail fail) {
      throw FaultySeam.<RuntimeException>sneaky(fail.failure().get());
    } else if (match.get().action() instanceof FaultAction.Run run) {
      run.action().run();
    }
  }

  static Optional<Object> act(FaultAction action) throws InterruptedException {
    if (action instanceof FaultAction.Fail fail) {
      throw FaultySeam.<RuntimeException>sneaky(fail.failure().get());
    } else if (action instanceof FaultAction.Block block) {
      block.gate().pass();
    } else if (action instanceof FaultAction.Run run) {
      run.action().run();
    } else if (action instanceof FaultAction.Answer answer) {
      return Optional.of(answer.value());
    }
    return Optional.empty();
  }

  static Deadline still(Deadline deadline) {
    return deadline.expired() ? Deadline.after(GRACE) : deadline;
  }

  @SuppressWarnings("unchecked")
  static <T extends Throwable> RuntimeException sneaky(Throwable failure) throws T {
    throw (T) failure;
  }
}
