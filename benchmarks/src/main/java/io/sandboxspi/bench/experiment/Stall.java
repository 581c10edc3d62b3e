package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import java.io.IOException;

/** Ending 64 terminals through the engine while one of them cannot be ended. */
final class Stall implements Experiment {
  @Override
  public String name() {
    return "stall";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    attempt(
        pass,
        "api",
        () -> {
          lab.small("stall").call("idle api-stalled 64 60000");
          pass.add("api", lab.small("stall").call("end-all api-stalled"));
          lab.small("stall").call("close api-stalled");
        });
  }
}
