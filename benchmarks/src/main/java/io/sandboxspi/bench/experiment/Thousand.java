package io.sandboxspi.bench.experiment;

import static io.sandboxspi.bench.experiment.Experiment.attempt;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.contender.Programs;
import io.sandboxspi.bench.worker.WorkerFailure;
import io.sandboxspi.bench.worker.WorkerJvm;
import java.io.IOException;

/**
 * A thousand idle terminals: nanoseconds a start one after another, what each costs the JVM, and
 * ending them all. The peer stops starting after a minute.
 */
final class Thousand implements Experiment {
  private static final long LIMIT_MILLIS = 60_000;

  @Override
  public String name() {
    return "thousand";
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException, InterruptedException {
    int count = lab.size(1_000, 50);
    for (int block = 0; block < lab.size(3, 1); block++) {
      long[] floor = lab.c("terminate", count, Programs.IDLE);
      pass.add("c/ns-per-start", floor[0] / count);
      pass.add("c/end-all", floor[1]);
      attempt(pass, "linux", () -> one(lab, pass, "linux", count));
    }
    attempt(pass, "pty4j", () -> one(lab, pass, "pty4j", count));
  }

  private static void one(Lab lab, Pass pass, String name, int count)
      throws IOException, InterruptedException, WorkerFailure {
    // A fixed heap that is resident from the start: what grows is memory outside of it.
    try (WorkerJvm jvm = lab.start("-Xms192m", "-Xmx192m", "-XX:+AlwaysPreTouch")) {
      for (int i = 0; i < lab.size(60, 1); i++) {
        jvm.call("idle " + name + " 100 " + LIMIT_MILLIS);
        jvm.call("end-all " + name);
      }
      long[] before = jvm.call("facts");
      long[] started = jvm.call("idle " + name + " " + count + " " + LIMIT_MILLIS);
      long n = started[0];
      long[] after = jvm.call("facts");
      pass.add(name + "/started", n);
      pass.add(name + "/ns-per-start", started[1] / n);
      pass.add(name + "/bytes", (after[0] - before[0] + after[1] - before[1]) / n);
      pass.add(name + "/resident-bytes", (after[0] - before[0]) / n);
      pass.add(name + "/heap-bytes", (after[1] - before[1]) / n);
      pass.add(name + "/descriptors-by-1000", (after[2] - before[2]) * 1_000 / n);
      pass.add(name + "/threads-more", after[3] - before[3]);
      pass.add(name + "/end-all", jvm.call("end-all " + name));
    }
  }
}
