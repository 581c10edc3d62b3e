package io.sandboxspi.bench.experiment;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.micro.Micro;
import java.io.IOException;
import org.openjdk.jmh.runner.RunnerException;

/** The engine alone, by JMH: nanoseconds and bytes of garbage an operation. */
final class MicroBenchmarks implements Experiment {
  @Override
  public String name() {
    return "micro";
  }

  @Override
  public int passes() {
    return 1;
  }

  @Override
  public void run(Lab lab, Pass pass) throws IOException {
    try {
      Micro.run(lab.size(0, 1) == 1).forEach(pass::add);
    } catch (RunnerException failure) {
      throw new IOException("JMH failed", failure);
    }
  }
}
