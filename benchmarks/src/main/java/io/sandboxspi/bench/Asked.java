package io.sandboxspi.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * What a main is asked: {@code TARGET RESULTS [--quick] [--report] [NAME...]} measures, all
 * experiments unless some are named; {@code --report} writes the table only. Quick results go to
 * the target directory.
 */
record Asked(Path target, Path results, boolean quick, boolean measure, List<String> names) {
  static Asked of(String[] args) throws IOException {
    Path target = Path.of(args[0]);
    List<String> rest = new ArrayList<>(List.of(args).subList(2, args.length));
    boolean quick = rest.remove("--quick");
    boolean measure = !rest.remove("--report");
    Path results = quick ? target.resolve("quick-results") : Path.of(args[1]);
    Files.createDirectories(results);
    return new Asked(target, results, quick, measure, List.copyOf(rest));
  }

  /** Measures one experiment. */
  @FunctionalInterface
  interface Work<E> {
    void run(E experiment, Pass pass) throws Exception;
  }

  /** Measures each that is asked for and writes the results of each to a file of its own. */
  <E extends Enum<E>> void each(E[] experiments, String prefix, Work<E> work) throws Exception {
    for (E experiment : experiments) {
      String name = experiment.name().toLowerCase(Locale.ROOT);
      if (measure && (names.isEmpty() || names.contains(name))) {
        OneRun.measure(prefix + name, results, pass -> work.run(experiment, pass));
      }
    }
  }
}
