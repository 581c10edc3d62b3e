package io.sandboxspi.bench;

import io.sandboxspi.bench.remote.Far;
import io.sandboxspi.bench.remote.RemoteExperiment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The main of the measurements of remote providers. {@code TARGET RESULTS [--quick] [--report]
 * [NAME...]} measures, all experiments unless some are named; {@code --report} writes the table
 * only. Quick results go to the target directory, in which the vendor's client is, too.
 */
public final class RemoteMain {
  private static final String PREFIX = "remote-";

  private RemoteMain() {}

  /** Runs. */
  public static void main(String[] args) throws Exception {
    Path target = Path.of(args[0]);
    List<String> rest = new ArrayList<>(List.of(args).subList(2, args.length));
    boolean quick = rest.remove("--quick");
    boolean measure = !rest.remove("--report");
    Path results = quick ? target.resolve("quick-results") : Path.of(args[1]);
    Files.createDirectories(results);
    for (RemoteExperiment experiment : RemoteExperiment.values()) {
      String name = experiment.name().toLowerCase(Locale.ROOT);
      if (measure && (rest.isEmpty() || rest.contains(name))) {
        try (Far far = new Far(target.resolve("js"))) {
          OneRun.measure(PREFIX + name, results, pass -> experiment.run(far, pass, quick));
        }
      }
    }
    RemoteReport.write(results);
    System.exit(0);
  }
}
