package io.sandboxspi.tck.fault;

import io.sandboxspi.ExitStatus;
import io.sandboxspi.spi.InputClosedException;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.TerminationOutcome;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One rule of a {@link FaultPlan}: a point, whose call, which of its calls, and the action. Made by
 * {@link FaultPlan#at}; active once its action is set. It matches the first call unless said
 * otherwise.
 */
public final class FaultRule {
  private final FaultPlan plan;
  private final FaultPoint point;
  private @Nullable String tag;
  private int first = 1;
  private int times = 1;
  private int bytes;
  private @Nullable FaultAction action;
  private int seen;
  private int fired;

  FaultRule(FaultPlan plan, FaultPoint point) {
    this.plan = plan;
    this.point = point;
  }

  /** Matches launches with this tag only. */
  public FaultRule tag(String value) {
    this.tag = value;
    return this;
  }

  /** Matches from the nth call on; counts from 1. */
  public FaultRule nth(int value) {
    this.first = value;
    return this;
  }

  /** Matches so many calls. */
  public FaultRule times(int value) {
    this.times = value;
    return this;
  }

  /** Matches every call. */
  public FaultRule always() {
    return times(Integer.MAX_VALUE);
  }

  /** At {@link FaultPoint#SEND_PARTIAL}: how many bytes are taken before the action. */
  public FaultRule bytes(int value) {
    this.bytes = value;
    return this;
  }

  /** Throws what the supplier gives. */
  public FaultRule fail(Supplier<? extends Throwable> failure) {
    return set(new FaultAction.Fail(failure));
  }

  /** Says that the process takes no more input. */
  public FaultRule inputClosed() {
    return fail(() -> new InputClosedException("the process takes no more input"));
  }

  /** Blocks; an interrupt ends it. */
  public Gate block() {
    return gate(Gate.interruptible());
  }

  /** Blocks; nothing but the gate ends it. */
  public Gate stuck() {
    return gate(Gate.stuck());
  }

  /** Goes on after this time, whatever happens. */
  public Gate late(Duration delay) {
    return gate(Gate.late(delay));
  }

  /** Runs something of the test, for instance a cancellation of the caller, then goes on. */
  public FaultRule run(Runnable work) {
    return set(new FaultAction.Run(work));
  }

  /** At a kill: answers that the process has ended and does nothing. */
  public FaultRule lie() {
    return set(new FaultAction.Answer(TerminationOutcome.confirmed()));
  }

  /** At a kill: answers this. */
  public FaultRule answer(TerminationOutcome outcome) {
    return set(new FaultAction.Answer(outcome));
  }

  /** At a release or deletion: answers this. */
  public FaultRule answer(ReleaseOutcome outcome) {
    return set(new FaultAction.Answer(outcome));
  }

  /** At {@link FaultPoint#EXIT}: reports this status. */
  public FaultRule answer(ExitStatus status) {
    return set(new FaultAction.Answer(status));
  }

  /**
   * At output or a write: the connection breaks. At {@link FaultPoint#EXIT} or {@link
   * FaultPoint#OUT_CLOSED}: the event never comes.
   */
  public FaultRule drop() {
    return set(new FaultAction.Drop());
  }

  /** At output: delivers the first bytes apart from the rest. */
  public FaultRule split(int at) {
    return set(new FaultAction.Split(at));
  }

  /** At output: keeps this chunk and everything after it, exits apart, until the gate opens. */
  public Gate hold() {
    Gate gate = Gate.stuck();
    plan.own(gate);
    set(new FaultAction.Hold(gate));
    return gate;
  }

  /** At output: delivers the first bytes, keeps the rest and everything after until the gate. */
  public Gate cut(int at) {
    Gate gate = Gate.stuck();
    plan.own(gate);
    set(new FaultAction.Cut(at, gate));
    return gate;
  }

  private Gate gate(Gate gate) {
    plan.own(gate);
    set(new FaultAction.Block(gate));
    return gate;
  }

  private FaultRule set(FaultAction value) {
    action = value;
    plan.add(this);
    return this;
  }

  boolean matches(FaultPoint at, String launch) {
    return point == at && (tag == null || tag.equals(launch));
  }

  /** Counts a call; the action if it is one of ours. */
  @Nullable FaultAction hit() {
    seen++;
    if (seen < first || seen - first >= times) {
      return null;
    }
    fired++;
    return action;
  }

  boolean mayFire() {
    return seen + 1 - first < times;
  }

  int bytesFirst() {
    return bytes;
  }

  boolean used() {
    return fired > 0;
  }

  @Override
  public String toString() {
    return point + (tag == null ? "" : " of " + tag) + " " + action;
  }
}
