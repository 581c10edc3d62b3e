package io.sandboxspi.bench;

import static io.sandboxspi.bench.Target.gain;
import static io.sandboxspi.bench.Target.ratio;

import java.util.List;
import java.util.OptionalDouble;
import java.util.function.Function;

/** What the local provider and the engine must reach. */
final class Targets {
  private static final double MILLION = 1e6;

  private Targets() {}

  static List<Target> all() {
    return List.of(
        ratio(
            "10 000 small files, persist: ours / tar",
            1.43,
            "workspace",
            "small-persist/ours",
            "small-persist/tar",
            "p50"),
        ratio(
            "10 000 small files, hydrate: ours / tar",
            1.43,
            "workspace",
            "small-hydrate/ours",
            "small-hydrate/tar",
            "p50"),
        ratio(
            "a file of 1 GiB, persist: ours / tar",
            1.43,
            "workspace",
            "large-persist/ours",
            "large-persist/tar",
            "p50"),
        ratio(
            "a file of 1 GiB, hydrate: ours / tar",
            1.43,
            "workspace",
            "large-hydrate/ours",
            "large-hydrate/tar",
            "p50"),
        ratio("a file of 1 GiB, put: ours / cp", 1.25, "workspace", "put/ours", "copy/cp", "p50"),
        ratio("a file of 1 GiB, get: ours / cp", 1.25, "workspace", "get/ours", "copy/cp", "p50"),
        ratio("start → first byte: driver / C", 1.15, "start", "linux", "c", "p50"),
        ratio("start → first byte: public API / C", 1.3, "start", "api", "c", "p50"),
        gain("start → first byte: pty4j / driver", 5, "start", "pty4j", "linux", "p50"),
        gain(
            "`LocalSandbox.exec` / driver's first byte",
            2,
            "start",
            "spring-whole",
            "linux",
            "p50"),
        ratio(
            "driver with 1 GiB of touched heap / small heap",
            1.1,
            "start",
            "linux-big",
            "linux",
            "p50"),
        ratio(
            "public API with 1 GiB of touched heap / small heap",
            1.1,
            "start",
            "api-big",
            "api",
            "p50"),
        gain(
            "1 000 starts one after another: pty4j / driver, per start",
            10,
            "thousand",
            "pty4j/ns-per-start",
            "linux/ns-per-start",
            "p50"),
        ratio("echo in the caller: driver / C", 1.1, "echo", "linux", "c", "p50"),
        ratio("echo in the caller, p99: driver / C", 2, "echo", "linux", "c", "p99"),
        ratio("echo through the collector: public API / C", 1.5, "echo", "api", "c", "p50"),
        ratio("echo through the collector, p99: public API / C", 2, "echo", "api", "c", "p99"),
        gain(
            "read throughput: driver / C",
            0.85,
            "throughput",
            "linux/kB-per-s",
            "c/kB-per-s",
            "p50"),
        gain(
            "read throughput: driver / pty4j with 8 KiB, its best",
            2.3,
            "throughput",
            "linux/kB-per-s",
            "pty4j-8k/kB-per-s",
            "p50"),
        ratio(
            "CPU per GB: driver / C",
            1.35,
            "throughput",
            "linux/cpu-ms-per-GB",
            "c/cpu-ms-per-GB",
            "p50"),
        gain("echo beside 8 floods, p99: pty4j / driver", 5, "flood", "pty4j", "linux", "p99"),
        gain("echo beside 8 floods, p99: pty4j / public API", 5, "flood", "pty4j", "api", "p99"),
        atMost(
            "memory of an idle PTY at 1 000",
            32,
            " kB",
            m -> scaled(m.best("thousand", "linux/bytes", "p50"), 1_000)),
        atMost(
            "descriptors of an idle PTY at 1 000",
            2,
            "",
            m -> scaled(m.largest("thousand", "linux/descriptors-by-1000", "max"), 1_000)),
        atMost(
            "threads more at 1 000 idle PTYs",
            0,
            "",
            m -> m.largest("thousand", "linux/threads-more", "max")),
        ratio(
            "terminate-all of 64: driver and sweep / C", 1.5, "terminate-64", "linux", "c", "p50"),
        ratio("terminate-all of 64: public API / C", 1.5, "terminate-64", "api", "c", "p50"),
        ratio(
            "terminate-all of 1 000: driver and sweep / C",
            1.1,
            "thousand",
            "linux/end-all",
            "c/end-all",
            "p50"),
        atMost(
            "terminate-all of 64, one stalled for ever, D = 5 s",
            5.2,
            " s",
            m -> scaled(m.best("stall", "api", "p50"), 1e9)),
        atMost(
            "false ends, stray bytes, failures in 100 000 sessions", 0, "", Targets::badSessions),
        atMost(
            "resume of a live workspace: attach",
            50,
            " ms",
            m -> scaled(m.best("micro", "Resume.attach", "p50"), 1_000_000)),
        atMost(
            "resume of a live workspace: attach and compare 2 MB with the snapshot",
            50,
            " ms",
            m -> scaled(m.best("micro", "Resume.compare", "p50"), 1_000_000)),
        atMost(
            "engine per exec",
            100,
            " µs",
            m -> scaled(m.best("micro", "EngineLaunch.exec", "p50"), 1_000)),
        atMost(
            "engine per exec, garbage",
            20,
            " kB",
            m -> scaled(m.best("micro", "EngineLaunch.exec/bytes", "p50"), 1_000)),
        atMost(
            "engine per PTY",
            100,
            " µs",
            m -> scaled(m.best("micro", "EngineLaunch.pty", "p50"), 1_000)),
        atMost(
            "engine per PTY, garbage",
            20,
            " kB",
            m -> scaled(m.best("micro", "EngineLaunch.pty/bytes", "p50"), 1_000)));
  }

  /** Medians worth seeing: title, experiment, series, divisor, unit. */
  static List<Object[]> medians() {
    return List.of(
        new Object[] {
          "GNU tar: persist of 10 000 files", "workspace", "small-persist/tar", MILLION, "ms"
        },
        new Object[] {"GNU tar: persist of 1 GiB", "workspace", "large-persist/tar", MILLION, "ms"},
        new Object[] {"a path of four parts through a link", "workspace", "path/ours", 1e3, "µs"},
        new Object[] {"C: start → first byte", "start", "c", MILLION, "ms"},
        new Object[] {"driver: start → first byte", "start", "linux", MILLION, "ms"},
        new Object[] {"public API: start → first byte", "start", "api", MILLION, "ms"},
        new Object[] {"driver, 1 GiB of heap", "start", "linux-big", MILLION, "ms"},
        new Object[] {"public API, 1 GiB of heap", "start", "api-big", MILLION, "ms"},
        new Object[] {"pty4j: start → first byte", "start", "pty4j", MILLION, "ms"},
        new Object[] {"pty4j, 1 GiB of heap", "start", "pty4j-big", MILLION, "ms"},
        new Object[] {
          "`ProcessBuilder` (pipes): first byte", "start", "processbuilder", MILLION, "ms"
        },
        new Object[] {"`LocalSandbox.exec` (pipes): whole", "start", "spring-whole", MILLION, "ms"},
        new Object[] {"driver (pipes): whole", "start", "linux-whole", MILLION, "ms"},
        new Object[] {"public API `exec` (pipes): whole", "start", "api-whole", MILLION, "ms"},
        new Object[] {"C: echo", "echo", "c", 1e3, "µs"},
        new Object[] {"driver: echo", "echo", "linux", 1e3, "µs"},
        new Object[] {"public API: echo", "echo", "api", 1e3, "µs"},
        new Object[] {"pty4j: echo", "echo", "pty4j", 1e3, "µs"},
        new Object[] {"C: throughput", "throughput", "c/kB-per-s", 1e3, "MB/s"},
        new Object[] {"driver: throughput", "throughput", "linux/kB-per-s", 1e3, "MB/s"},
        new Object[] {"public API: throughput", "throughput", "api/kB-per-s", 1e3, "MB/s"},
        new Object[] {"pty4j, 8 KiB: throughput", "throughput", "pty4j-8k/kB-per-s", 1e3, "MB/s"},
        new Object[] {"pty4j, 64 KiB: throughput", "throughput", "pty4j-64k/kB-per-s", 1e3, "MB/s"},
        new Object[] {"C: terminate 64", "terminate-64", "c", MILLION, "ms"},
        new Object[] {"driver and sweep: terminate 64", "terminate-64", "linux", MILLION, "ms"},
        new Object[] {"public API: terminate 64", "terminate-64", "api", MILLION, "ms"},
        new Object[] {"pty4j: terminate 64", "terminate-64", "pty4j", MILLION, "ms"},
        new Object[] {"C: terminate 1 000", "thousand", "c/end-all", MILLION, "ms"},
        new Object[] {
          "driver and sweep: terminate 1 000", "thousand", "linux/end-all", MILLION, "ms"
        },
        new Object[] {"pty4j: started in a minute", "thousand", "pty4j/started", 1.0, ""},
        new Object[] {"pty4j: memory of an idle PTY", "thousand", "pty4j/bytes", 1e3, "kB"},
        new Object[] {"pty4j: cut short in 1 000 sessions", "sessions", "pty4j/cut", 1.0, ""},
        new Object[] {"UTF-8 decoder: 64 KiB", "micro", "Decoder.ascii", 1e3, "µs"},
        new Object[] {"UTF-8 decoder: 64 KiB, mixed", "micro", "Decoder.mixed", 1e3, "µs"},
        new Object[] {"output buffer: append 4 095 bytes", "micro", "Ring.append", 1e3, "µs"},
        new Object[] {"registry: insert, pin, detach", "micro", "Registry.turn", 1e3, "µs"});
  }

  private static Target atMost(
      String what, double limit, String unit, Function<Measured, OptionalDouble> value) {
    return new Target(what, limit, false, unit, value, m -> OptionalDouble.empty());
  }

  private static OptionalDouble scaled(OptionalDouble value, double divisor) {
    return value.isPresent() ? OptionalDouble.of(value.getAsDouble() / divisor) : value;
  }

  private static OptionalDouble badSessions(Measured measured) {
    if (measured.each("sessions", "linux/sessions", "max").isEmpty()) {
      return OptionalDouble.empty();
    }
    double bad = 0;
    for (String kind : List.of("cut", "wrong", "failed")) {
      bad += measured.largest("sessions", "linux/" + kind, "max").orElse(0);
      bad += measured.largest("sessions", "api/" + kind, "max").orElse(0);
    }
    return OptionalDouble.of(bad);
  }
}
