package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.contender.Programs;
import java.io.IOException;

/** One byte to a program and back. */
final class Echo implements Experiment {
  private static final String[][] CONTENDERS = {
    {"linux", "ours"}, {"api", "api"}, {"pty4j", "pty4j"}
  };

  @Override
  public String name() {
    return "echo";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    int warm = lab.size(20_000, 200);
    for (String[] each : CONTENDERS) {
      attempt(pass, each[0], () -> lab.small(each[1]).call("echo " + each[0] + " " + warm + " 0"));
    }
    int n = lab.size(400, 50);
    for (int block = 0; block < lab.size(40, 2); block++) {
      pass.add("c", lab.c("echo", n, Programs.ECHO));
      for (String[] each : CONTENDERS) {
        attempt(
            pass,
            each[0],
            () -> pass.add(each[0], lab.small(each[1]).call("echo " + each[0] + " " + n + " 0")));
      }
    }
  }
}
