package io.sandboxspi.bench;

import static io.sandboxspi.bench.Target.atMost;
import static io.sandboxspi.bench.Target.gain;
import static io.sandboxspi.bench.Target.ratio;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.OptionalDouble;

/** Writes {@code remote.md} from the result files. */
final class RemoteReport {
  private static final String WIRE = "remote-wire";
  private static final String LIFE = "remote-life";
  private static final String ECHO = "remote-echo";
  private static final String MANY = "remote-many";
  private static final String FAR = "remote-far";
  private static final String FILES = "remote-files";

  private RemoteReport() {}

  private static List<Target> targets() {
    return List.of(
        ratio("one call: provider / by hand", 1.1, WIRE, "call", "bare-call", "p50"),
        ratio("command → first byte: provider / by hand", 1.1, WIRE, "exec", "bare-exec", "p50"),
        ratio(
            "create, command, remove: provider / vendor's client",
            1,
            LIFE,
            "life",
            "vendor-life",
            "p50"),
        ratio("PTY echo: provider / vendor's client", 0.8, ECHO, "echo", "vendor-echo", "p50"),
        count("resident kB of an open PTY, of 500", 64, MANY, "resident-bytes-each", 1024),
        count("threads more with 500 open PTYs", 16, MANY, "threads-more", 1),
        gain("upload of 512 MiB: curl / provider", 0.8, FILES, "curl-put", "put", "p50"),
        gain("download of 512 MiB: curl / provider", 0.8, FILES, "curl-get", "get", "p50"),
        atMost("terminate-all of 64 over 50 ms", 300, FAR, "terminate-64", "p50"));
  }

  private static Target count(
      String what, double limit, String experiment, String series, double unit) {
    return new Target(
        what,
        limit,
        false,
        "",
        m -> {
          OptionalDouble value = m.best(experiment, series, "max");
          return value.isPresent()
              ? OptionalDouble.of(value.getAsDouble() / unit)
              : OptionalDouble.empty();
        },
        m -> OptionalDouble.empty());
  }

  private static final String[][] MEDIANS = {
    {"one call by hand", WIRE, "bare-call"},
    {"one call by java.net.http alone", WIRE, "library-call"},
    {"one call", WIRE, "call"},
    {"command by hand: first byte", WIRE, "bare-exec"},
    {"command: first byte", WIRE, "exec"},
    {"create, command, remove", LIFE, "life"},
    {"create, command, remove: vendor's client", LIFE, "vendor-life"},
    {"PTY echo", ECHO, "echo"},
    {"PTY echo: vendor's client", ECHO, "vendor-echo"},
    {"500 PTYs started one after another", MANY, "start-all"},
    {"kill of 500 at once", MANY, "kill-all"},
    {"terminate-all of 64 over 50 ms", FAR, "terminate-64"},
    {"512 MiB: upload", FILES, "put"},
    {"512 MiB: upload by curl", FILES, "curl-put"},
    {"512 MiB: download", FILES, "get"},
    {"512 MiB: download by curl", FILES, "curl-get"},
  };

  static void write(Path results) throws IOException {
    StringBuilder text = new StringBuilder("# E2B provider: targets\n\n");
    text.append(
        "Written by `benchmarks/remote` from the JSON files beside it: against the fake on ");
    text.append("the loopback address, in a JVM of its own; all take turns; a heap of 64 MiB.\n");
    for (int java = Report.NEWEST; java >= Report.OLDEST; java--) {
      Measured measured = new Measured(results, java);
      if (!measured.each(WIRE, "call", "p50").isEmpty()) {
        TargetTable.section(
            text, java, measured, "vendor's client: e2b 2.51.0", targets(), MEDIANS);
      }
    }
    Files.writeString(results.resolve("remote.md"), text.toString());
  }
}
