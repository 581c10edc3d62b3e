package io.sandboxspi.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/** What one run of an experiment gave: named series of numbers, and what was left out and why. */
public final class Pass {
  private final Map<String, List<Long>> series = new LinkedHashMap<>();
  private final Map<String, String> skipped = new LinkedHashMap<>();

  /** Appends to a series. */
  public void add(String name, long... values) {
    List<Long> list = series.computeIfAbsent(name, key -> new ArrayList<>());
    for (long value : values) {
      list.add(value);
    }
  }

  /** Says that a contender was left out. */
  public void skip(String name, String reason) {
    skipped.putIfAbsent(name, reason);
  }

  /** Whether it was left out before. */
  public boolean isSkipped(String name) {
    return skipped.containsKey(name);
  }

  /** By name, in order. */
  public Map<String, List<Long>> series() {
    return series;
  }

  /** Reasons by name. */
  public Map<String, String> skipped() {
    return skipped;
  }
}
