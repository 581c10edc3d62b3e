package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.contender.Programs;
import java.io.IOException;

/** Ending 64 terminals at once. */
final class TerminateSome implements Experiment {
  private static final int COUNT = 64;
  private static final String[][] CONTENDERS = {
    {"linux", "ours"}, {"api", "api"}, {"pty4j", "pty4j"}
  };

  @Override
  public String name() {
    return "terminate-64";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    int blocks = lab.size(100, 2);
    for (int block = -lab.size(40, 1); block < blocks; block++) {
      boolean warm = block < 0;
      long[] floor = lab.c("terminate", COUNT, Programs.IDLE);
      if (!warm) {
        pass.add("c", floor[1]);
      }
      // The peer needs seconds for each round.
      boolean slow = block % 5 == 0;
      for (String[] each : CONTENDERS) {
        if (each[0].equals("pty4j") && !slow) {
          continue;
        }
        attempt(
            pass,
            each[0],
            () -> {
              lab.small(each[1]).call("idle " + each[0] + " " + COUNT + " 60000");
              long[] ended = lab.small(each[1]).call("end-all " + each[0]);
              if (!warm) {
                pass.add(each[0], ended);
              }
            });
      }
    }
  }
}
