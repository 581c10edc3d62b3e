package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.contender.Programs;
import java.io.IOException;

/** Reading from a terminal as fast as it goes: kB/s, and CPU milliseconds per GB. */
final class Throughput implements Experiment {
  private static final int BUFFER = 65_536;
  private static final int SMALL_BUFFER = 8_192;

  private static final String[][] CONTENDERS = {
    {"linux", "ours", "linux", Integer.toString(BUFFER)},
    {"api", "api", "api", Integer.toString(BUFFER)},
    {"pty4j-8k", "pty4j", "pty4j", Integer.toString(SMALL_BUFFER)},
    {"pty4j-64k", "pty4j", "pty4j", Integer.toString(BUFFER)}
  };

  @Override
  public String name() {
    return "throughput";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    long bytes = lab.size(256, 8) * 1_048_576L;
    for (int block = 0; block <= lab.size(3, 1); block++) {
      boolean warm = block == 0;
      add(pass, warm, "c", lab.c("throughput", BUFFER, Programs.bytes(bytes)));
      for (String[] each : CONTENDERS) {
        String command = "throughput " + each[2] + " " + each[3] + " " + bytes;
        attempt(pass, each[0], () -> add(pass, warm, each[0], lab.small(each[1]).call(command)));
      }
    }
  }

  private static void add(Pass pass, boolean warm, String name, long[] values) {
    if (!warm) {
      pass.add(name + "/kB-per-s", (long) (values[0] * 1e6 / values[1]));
      pass.add(name + "/cpu-ms-per-GB", (long) (values[2] * 1e3 / values[0]));
    }
  }
}
