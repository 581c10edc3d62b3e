package io.sandboxspi.tck.fault;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;

/** Every call at the seam in order. Thread-safe. */
public final class CallLog {
  /**
   * A call.
   *
   * @param order counts up from 1
   * @param point where
   * @param tag the launch's tag; empty for calls without a launch
   * @param detail an answer, a path, or empty
   * @param thread the calling thread's name
   */
  public record Call(int order, FaultPoint point, String tag, String detail, String thread) {}

  private final List<Call> calls = new ArrayList<>();

  synchronized void add(FaultPoint point, String tag, String detail) {
    calls.add(new Call(calls.size() + 1, point, tag, detail, Thread.currentThread().getName()));
    notifyAll();
  }

  /** All calls. */
  public synchronized List<Call> calls() {
    return List.copyOf(calls);
  }

  /** How many calls there were. */
  public synchronized int size() {
    return calls.size();
  }

  /** How often a point was met. */
  public int count(FaultPoint point) {
    return (int) calls().stream().filter(call -> call.point() == point).count();
  }

  /** How often a launch met a point. */
  public int count(FaultPoint point, String tag) {
    return (int) calls().stream().filter(of(point, tag)).count();
  }

  /** The last call of a launch at a point. */
  public Optional<Call> last(FaultPoint point, String tag) {
    return calls().stream().filter(of(point, tag)).reduce((a, b) -> b);
  }

  /** Waits until a launch has met a point so often. */
  public synchronized boolean await(FaultPoint point, String tag, int times, Duration atMost)
      throws InterruptedException {
    long until = System.nanoTime() + atMost.toNanos();
    while (calls.stream().filter(of(point, tag)).count() < times) {
      long left = (until - System.nanoTime()) / 1_000_000;
      if (left <= 0) {
        return false;
      }
      wait(left);
    }
    return true;
  }

  private static Predicate<Call> of(FaultPoint point, String tag) {
    return call -> call.point() == point && call.tag().equals(tag);
  }
}
