package io.sandboxspi.bench;

import io.sandboxspi.bench.docker.DockerExperiment;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;

/**
 * The main of the Docker provider's measurements. {@code TARGET RESULTS [--quick] [--report]
 * [NAME...]} measures, all experiments unless some are named; {@code --report} writes the table
 * only. Quick results go to the target directory.
 */
public final class DockerMain {
  private static final String PREFIX = "docker-";

  private DockerMain() {}

  /** Runs. */
  public static void main(String[] args) throws Exception {
    Path target = Path.of(args[0]);
    List<String> rest = new ArrayList<>(List.of(args).subList(2, args.length));
    boolean quick = rest.remove("--quick");
    boolean measure = !rest.remove("--report");
    Path results = quick ? target.resolve("quick-results") : Path.of(args[1]);
    Files.createDirectories(results);
    for (DockerExperiment experiment : DockerExperiment.values()) {
      String name = experiment.name().toLowerCase(Locale.ROOT);
      if (measure && (rest.isEmpty() || rest.contains(name))) {
        OneRun.measure(PREFIX + name, results, pass -> experiment.run(pass, quick));
      }
    }
    DockerReport.write(results);
    // The provider's threads are daemons; docker-java's are not.
    System.exit(0);
  }
}
