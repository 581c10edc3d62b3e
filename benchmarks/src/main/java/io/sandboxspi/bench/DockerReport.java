package io.sandboxspi.bench;

import static io.sandboxspi.bench.Target.gain;
import static io.sandboxspi.bench.Target.ratio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;

/** Writes {@code docker.md} from the result files. */
final class DockerReport {
  private static final String EXEC = "docker-exec";
  private static final String KILL = "docker-kill";
  private static final String REMOVE = "docker-remove";
  private static final String CALLS = "docker-calls";
  private static final String FILES = "docker-files";

  private DockerReport() {}

  private static List<Target> targets() {
    return List.of(
        ratio("exec afresh → first byte: provider / raw HTTP", 1.05, EXEC, "fresh", "raw", "p50"),
        ratio("exec afresh → first byte: provider / docker CLI", 0.65, EXEC, "fresh", "cli", "p50"),
        gain("launch from a spare: afresh / spare", 20, EXEC, "fresh", "spare", "p50"),
        gain(
            "one-shot command, whole: docker-java / session",
            50,
            EXEC,
            "docker-java-whole",
            "one-shot",
            "p50"),
        Target.atMost("kill of a tree", 60, KILL, "kill-tree", "p50"),
        Target.atMost("terminate-all of 64", 300, KILL, "kill-64", "p50"),
        new Target(
            "kills not proven",
            0,
            false,
            "",
            m -> m.largest(KILL, "unproven", "max"),
            m -> OptionalDouble.empty()),
        ratio(
            "close with a stalled consumer / without",
            1.5,
            REMOVE,
            "close-flooded",
            "close",
            "p50"),
        Target.atMost("a call among 200 attaches", 50, CALLS, "inspect-among-200", "p99"),
        Target.atMost(
            "a call to a silent engine, beyond its deadline",
            50,
            CALLS,
            "silent-over-deadline",
            "max"),
        gain("file put of 1 GiB: `docker cp` / provider", 1, FILES, "cp-put", "put", "p50"),
        gain("file get of 1 GiB: `docker cp` / provider", 1, FILES, "cp-get", "get", "p50"));
  }

  private static final String[][] MEDIANS = {
    {"raw HTTP: first byte", EXEC, "raw"},
    {"provider, afresh: first byte", EXEC, "fresh"},
    {"provider, from a spare: first byte", EXEC, "spare"},
    {"docker-java: first byte", EXEC, "docker-java"},
    {"docker CLI: first byte", EXEC, "cli"},
    {"provider, afresh: whole", EXEC, "fresh-whole"},
    {"provider, from a spare: whole", EXEC, "spare-whole"},
    {"session, one-shot command: whole", EXEC, "one-shot"},
    {"docker-java: whole", EXEC, "docker-java-whole"},
    {"kill of a tree", KILL, "kill-tree"},
    {"terminate-all of 64", KILL, "kill-64"},
    {"removal of a container", REMOVE, "clean"},
    {"close of a session", REMOVE, "close"},
    {"close with a stalled consumer", REMOVE, "close-flooded"},
    {"inspect", CALLS, "inspect"},
    {"inspect among 200 attaches", CALLS, "inspect-among-200"},
    {"1 GiB: put", FILES, "put"},
    {"1 GiB: get", FILES, "get"},
    {"1 GiB: `docker cp` in", FILES, "cp-put"},
    {"1 GiB: `docker cp` out", FILES, "cp-get"},
  };

  static void write(Path results) throws IOException {
    StringBuilder text = new StringBuilder("# Docker provider: targets\n\n");
    text.append("Written by `benchmarks/docker` from the JSON files beside it: one run, all take ");
    text.append("turns, the JVM has a heap of 64 MiB.\n");
    for (int java = Report.NEWEST; java >= Report.OLDEST; java--) {
      Measured measured = new Measured(results, java);
      if (!measured.each(EXEC, "raw", "p50").isEmpty()) {
        TargetTable.section(text, java, measured, "engine 20.10", targets(), MEDIANS);
      }
    }
    Files.writeString(results.resolve("docker.md"), text.toString());
  }
}
