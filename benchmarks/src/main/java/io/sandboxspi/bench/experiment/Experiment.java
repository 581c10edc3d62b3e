package io.sandboxspi.bench.experiment;

import io.sandboxspi.bench.Lab;
import io.sandboxspi.bench.Pass;
import io.sandboxspi.bench.worker.WorkerFailure;
import java.io.IOException;
import java.util.List;

/** Something to measure, all contenders in turns. */
public interface Experiment {
  /** The name of its file. */
  String name();

  /** How often it is repeated at most; once where one pass has all the samples. */
  default int passes() {
    return Integer.MAX_VALUE;
  }

  /** Runs once. */
  void run(Lab lab, Pass pass) throws IOException, InterruptedException;

  /** All of them, in order. */
  static List<Experiment> all() {
    return List.of(
        new MicroBenchmarks(),
        new Start(),
        new Echo(),
        new Throughput(),
        new Flood(),
        new TerminateSome(),
        new Thousand(),
        new Stall(),
        new Sessions(),
        new Workspace());
  }

  /** A step that a contender may not be able to do. */
  interface Step {
    /** Does it. */
    void run() throws IOException, InterruptedException, WorkerFailure;
  }

  /** Runs a step; when the contender cannot do it, it is left out of the rest of the pass. */
  static void attempt(Pass pass, String name, Step step) throws IOException, InterruptedException {
    if (pass.isSkipped(name)) {
      return;
    }
    try {
      step.run();
    } catch (WorkerFailure failure) {
      pass.skip(name, String.valueOf(failure.getMessage()));
      System.err.println("left out: " + name + ": " + failure.getMessage());
    }
  }
}
