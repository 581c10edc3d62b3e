package io.sandboxspi.bench;

import java.nio.file.Path;
import java.util.List;

/** Measures an experiment once and writes what it gave. */
final class OneRun {
  private OneRun() {}

  /** What is measured. */
  @FunctionalInterface
  interface Work {
    void run(Pass pass) throws Exception;
  }

  static void measure(String name, Path results, Work work) throws Exception {
    double load = Machine.load();
    Pass pass = new Pass();
    work.run(pass);
    pass.series().forEach(OneRun::show);
    String file = name + "-java" + Runtime.version().feature() + ".json";
    ResultFile.write(results.resolve(file), name, Machine.facts(), List.of(load), List.of(pass));
  }

  private static void show(String name, List<Long> values) {
    long[] numbers = values.stream().mapToLong(Long::longValue).toArray();
    System.err.printf(
        "  %-24s n %4d  p50 %,14d  p99 %,14d%n",
        name, numbers.length, Stats.median(numbers), Stats.percentile(numbers, 0.99));
  }
}
