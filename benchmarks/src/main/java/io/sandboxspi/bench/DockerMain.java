package io.sandboxspi.bench;

import io.sandboxspi.bench.docker.DockerExperiment;

/** The main of the Docker provider's measurements, see {@link Asked}. */
public final class DockerMain {
  private DockerMain() {}

  /** Runs. */
  public static void main(String[] args) throws Exception {
    Asked asked = Asked.of(args);
    asked.each(
        DockerExperiment.values(),
        "docker-",
        (experiment, pass) -> experiment.run(pass, asked.quick()));
    DockerReport.write(asked.results());
    // The provider's threads are daemons; docker-java's are not.
    System.exit(0);
  }
}
