package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import java.io.IOException;

/** Short sessions at once: how many lost output or got what was not theirs. */
final class Sessions implements Experiment {
  private static final int THREADS = 8;

  @Override
  public String name() {
    return "sessions";
  }

  @Override
  public int passes() {
    return 1;
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    one(lab, pass, "linux", "ours", lab.size(100_000, 200));
    one(lab, pass, "api", "api", lab.size(10_000, 200));
    one(lab, pass, "pty4j", "pty4j", lab.size(1_000, 50));
  }

  private static void one(Lab lab, Pass pass, String name, String worker, int count)
      throws IOException, InterruptedException {
    attempt(
        pass,
        name,
        () -> {
          String command = "sessions " + name + " " + count + " " + THREADS;
          long[] result = lab.small(worker).call(command);
          pass.add(name + "/sessions", result[0]);
          pass.add(name + "/cut", result[1]);
          pass.add(name + "/wrong", result[2]);
          pass.add(name + "/failed", result[3]);
          pass.add(name + "/ns", result[4]);
        });
  }
}
