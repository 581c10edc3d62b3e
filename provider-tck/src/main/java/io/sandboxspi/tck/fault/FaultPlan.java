package io.sandboxspi.tck.fault;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Ordered fault rules; the first that matches a call acts. A rule that was never met fails its test
 * (spec S-TCK-01). Thread-safe once the rules are set.
 */
public final class FaultPlan {
  private final List<FaultRule> rules = new CopyOnWriteArrayList<>();
  private final List<Gate> gates = new CopyOnWriteArrayList<>();
  private volatile boolean ended;

  /** Begins a rule; it becomes active with its action. */
  public FaultRule at(FaultPoint point) {
    return new FaultRule(this, point);
  }

  /** Opens every gate and lets all later calls pass. Idempotent. */
  public void end() {
    ended = true;
    gates.forEach(Gate::open);
  }

  /** Rules that no call met. */
  public List<String> unused() {
    List<String> names = new ArrayList<>();
    for (FaultRule rule : rules) {
      synchronized (rule) {
        if (!rule.used()) {
          names.add(rule.toString());
        }
      }
    }
    return names;
  }

  /** Fails if a rule was never met. */
  public void verifyUsed() {
    List<String> unused = unused();
    if (!unused.isEmpty()) {
      throw new AssertionError("the scenario did not meet its faults: " + unused);
    }
  }

  record Match(FaultRule rule, FaultAction action) {}

  Optional<Match> match(FaultPoint point, String tag) {
    Match found = null;
    if (!ended) {
      for (FaultRule rule : rules) {
        synchronized (rule) {
          if (rule.matches(point, tag)) {
            FaultAction action = rule.hit();
            if (action != null && found == null) {
              found = new Match(rule, action);
            }
          }
        }
      }
    }
    return Optional.ofNullable(found);
  }

  /** Whether a rule may act on the next call at one of the points. */
  boolean pending(List<FaultPoint> points, String tag) {
    if (ended) {
      return false;
    }
    for (FaultRule rule : rules) {
      synchronized (rule) {
        if (points.stream().anyMatch(point -> rule.matches(point, tag)) && rule.mayFire()) {
          return true;
        }
      }
    }
    return false;
  }

  void add(FaultRule rule) {
    rules.add(rule);
  }

  void own(Gate gate) {
    gates.add(gate);
  }
}
