package io.sandboxspi.bench.micro;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.profile.GCProfiler;
import org.openjdk.jmh.results.Result;
import org.openjdk.jmh.results.RunResult;
import org.openjdk.jmh.runner.Runner;
import org.openjdk.jmh.runner.RunnerException;
import org.openjdk.jmh.runner.options.OptionsBuilder;
import org.openjdk.jmh.runner.options.TimeValue;

/** Runs the benchmarks of this package. */
public final class Micro {
  private Micro() {}

  /** Nanoseconds an operation by name, and bytes of garbage by name with {@code /bytes}. */
  public static Map<String, Long> run(boolean quick) throws RunnerException {
    OptionsBuilder options = new OptionsBuilder();
    options
        .include(Micro.class.getPackageName() + "\\..*")
        .mode(Mode.AverageTime)
        .timeUnit(TimeUnit.NANOSECONDS)
        .forks(quick ? 1 : 2)
        .warmupIterations(quick ? 1 : 5)
        .warmupTime(TimeValue.seconds(1))
        .measurementIterations(quick ? 1 : 5)
        .measurementTime(TimeValue.seconds(1))
        .addProfiler(GCProfiler.class)
        .jvmArgsAppend("-Xmx512m", "-Dorg.slf4j.simpleLogger.defaultLogLevel=warn");
    Collection<RunResult> results = new Runner(options.build()).run();
    Map<String, Long> values = new LinkedHashMap<>();
    for (RunResult result : results) {
      String[] path = result.getParams().getBenchmark().split("\\.");
      String name = path[path.length - 2] + "." + path[path.length - 1];
      // The best iteration: a busy machine only ever makes one slower.
      values.put(name, Math.round(result.getPrimaryResult().getStatistics().getMin()));
      result
          .getSecondaryResults()
          .forEach(
              (label, secondary) -> {
                if (label.endsWith("gc.alloc.rate.norm")) {
                  values.put(name + "/bytes", bytes(secondary));
                }
              });
    }
    return values;
  }

  private static long bytes(Result<?> result) {
    return Math.round(result.getScore());
  }
}
