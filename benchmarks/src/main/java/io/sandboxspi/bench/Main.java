package io.sandboxspi.bench;

import io.sandboxspi.bench.experiment.Experiment;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;

/**
 * The main of the runner. {@code TARGET RESULTS [--quick] [--passes N] [NAME...]} measures, all
 * experiments unless some are named; {@code TARGET RESULTS --report} writes the table only. Quick
 * results go to the target directory.
 */
public final class Main {
  private Main() {}

  /** Runs. */
  public static void main(String[] args) throws Exception {
    Path target = Path.of(args[0]);
    Path results = Path.of(args[1]);
    int passes = 3;
    boolean quick = false;
    boolean measure = true;
    List<String> names = new ArrayList<>();
    for (int i = 2; i < args.length; i++) {
      switch (args[i]) {
        case "--quick" -> quick = true;
        case "--report" -> measure = false;
        case "--passes" -> passes = Integer.parseInt(args[++i]);
        default -> names.add(args[i]);
      }
    }
    if (quick) {
      results = target.resolve("quick-results");
    }
    Files.createDirectories(results);
    if (measure) {
      measure(target, results, quick, passes, names);
    }
    Report.write(results);
  }

  private static void measure(
      Path target, Path results, boolean quick, int passes, List<String> names) throws Exception {
    Map<String, Object> machine = Machine.facts();
    for (Experiment experiment : Experiment.all()) {
      if (!names.isEmpty() && !names.contains(experiment.name())) {
        continue;
      }
      List<Pass> done = new ArrayList<>();
      List<Double> loads = new ArrayList<>();
      for (int i = 0; i < Math.min(passes, experiment.passes()); i++) {
        loads.add(Machine.load());
        done.add(run(experiment, target, quick));
      }
      String file = experiment.name() + "-java" + Runtime.version().feature() + ".json";
      ResultFile.write(results.resolve(file), experiment.name(), machine, loads, done);
    }
  }

  private static Pass run(Experiment experiment, Path target, boolean quick)
      throws IOException, InterruptedException {
    System.err.println(experiment.name() + ", load " + Machine.load());
    Pass pass = new Pass();
    try (Lab lab = new Lab(target, quick)) {
      experiment.run(lab, pass);
    }
    pass.series()
        .forEach(
            (name, values) -> {
              long[] numbers = values.stream().mapToLong(Long::longValue).toArray();
              System.err.printf(
                  "  %-28s n %5d  p50 %,14d  p99 %,14d%n",
                  name, numbers.length, Stats.median(numbers), Stats.percentile(numbers, 0.99));
            });
    return pass;
  }
}
