package io.sandboxspi.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Writes {@code vendors.md} from the result files: vendors side by side. */
final class VendorsReport {
  static final String PREFIX = "vendor-";

  private static final double MILLION = 1e6;
  private static final List<String> VENDORS = List.of("blaxel", "cloudflare", "modal");
  private static final String[][] ROWS = {
    {"one call: is it there?", "call"},
    {"command: first byte", "exec"},
    {"command: its end", "exec-whole"},
    {"PTY echo", "echo"},
    {"PTY echo: vendor's client", "vendor-echo"},
    {"create, command, remove", "life"},
    {"create, command, remove: vendor's client", "vendor-life"},
    {"terminate-all of 64 over 50 ms", "terminate-64"},
    {"64 MiB: upload", "put"},
    {"64 MiB: download", "get"},
  };

  private VendorsReport() {}

  static void write(Path results) throws IOException {
    StringBuilder text = new StringBuilder("# Blaxel, Cloudflare and Modal\n\n");
    text.append(
        "Written by `benchmarks/vendors` from the JSON files beside it: medians of one pass, in "
            + "milliseconds,\nagainst the fakes on the loopback address, in a JVM of their own. "
            + "Vendors' clients: @blaxel/core 0.3.21, modal 0.11.1.\n");
    for (int java = Report.NEWEST; java >= Report.OLDEST; java--) {
      Measured measured = new Measured(results, java);
      List<String> found =
          VENDORS.stream()
              .filter(vendor -> !measured.each(PREFIX + vendor, "call", "p50").isEmpty())
              .toList();
      if (!found.isEmpty()) {
        section(text, java, measured, found);
      }
    }
    Files.writeString(results.resolve("vendors.md"), text.toString());
  }

  private static void section(
      StringBuilder text, int java, Measured measured, List<String> vendors) {
    text.append("\n## Java ").append(java).append("\n\n");
    for (String fact : List.of("processors", "processor", "memory", "os", "java")) {
      String value = measured.environment().path(fact).asText("");
      text.append(fact).append(": ").append(value).append(fact.equals("java") ? ".\n\n" : "; ");
    }
    text.append("| median, ms | ").append(String.join(" | ", vendors)).append(" |\n|---|");
    text.append("---|".repeat(vendors.size())).append('\n');
    for (String[] row : ROWS) {
      text.append("| ").append(row[0]).append(" |");
      for (String vendor : vendors) {
        OptionalDouble value = measured.best(PREFIX + vendor, row[1], "p50");
        text.append(
            value.isPresent()
                ? String.format(Locale.ROOT, " %.2f |", value.getAsDouble() / MILLION)
                : " |");
      }
      text.append('\n');
    }
  }
}
