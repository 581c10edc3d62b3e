package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import java.io.IOException;

/** One byte to a program and back while eight others never stop to talk. */
final class Flood implements Experiment {
  private static final String[][] CONTENDERS = {
    {"linux", "ours"}, {"api", "api"}, {"pty4j", "pty4j"}
  };
  private static final int FLOODS = 8;
  private static final int PAUSE_MICROS = 1_000;

  @Override
  public String name() {
    return "flood";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    int warm = lab.size(10_000, 30);
    int n = lab.size(2_000, 30);
    for (String[] each : CONTENDERS) {
      attempt(
          pass,
          each[0],
          () -> {
            lab.small(each[1]).call("echo " + each[0] + " " + warm + " 0");
            lab.small(each[1]).call("flood " + each[0] + " " + FLOODS);
            String command = "echo " + each[0] + " " + n + " " + PAUSE_MICROS;
            pass.add(each[0], lab.small(each[1]).call(command));
            lab.small(each[1]).call("end-all " + each[0]);
          });
    }
  }
}
