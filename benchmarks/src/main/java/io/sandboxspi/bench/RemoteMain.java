package io.sandboxspi.bench;

import io.sandboxspi.bench.remote.Far;
import io.sandboxspi.bench.remote.RemoteExperiment;

/**
 * The main of the E2B provider's measurements, see {@link Asked}; the vendor's client is below the
 * target.
 */
public final class RemoteMain {
  private RemoteMain() {}

  /** Runs. */
  public static void main(String[] args) throws Exception {
    Asked asked = Asked.of(args);
    asked.each(
        RemoteExperiment.values(),
        "remote-",
        (experiment, pass) -> {
          try (Far far = new Far(asked.target().resolve("js"))) {
            experiment.run(far, pass, asked.quick());
          }
        });
    RemoteReport.write(asked.results());
    System.exit(0);
  }
}
