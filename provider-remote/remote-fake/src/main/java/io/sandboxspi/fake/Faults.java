package io.sandboxspi.fake;

import java.util.ArrayDeque;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;

/** Faults by the beginning of {@code METHOD /path}. Each is used once. Thread-safe. */
public final class Faults {
  private final Map<String, Queue<Fault>> waiting = new LinkedHashMap<>();
  private final Map<String, Integer> seen = new LinkedHashMap<>();

  /** The next requests that begin so meet these faults, one each. */
  public synchronized void on(String request, Fault... faults) {
    Queue<Fault> queue = waiting.computeIfAbsent(request, key -> new ArrayDeque<>());
    for (Fault fault : faults) {
      queue.add(fault);
    }
  }

  /** Takes the fault for a request, and counts it. */
  public synchronized Optional<Fault> take(String request) {
    seen.merge(request, 1, Integer::sum);
    for (Map.Entry<String, Queue<Fault>> entry : waiting.entrySet()) {
      if (request.startsWith(entry.getKey()) && !entry.getValue().isEmpty()) {
        return Optional.of(entry.getValue().remove());
      }
    }
    return Optional.empty();
  }

  /** How many requests began so. */
  public synchronized int count(String request) {
    return seen.entrySet().stream()
        .filter(entry -> entry.getKey().startsWith(request))
        .mapToInt(Map.Entry::getValue)
        .sum();
  }

  /** Faults that nobody met. */
  public synchronized int unused() {
    return waiting.values().stream().mapToInt(Queue::size).sum();
  }
}
