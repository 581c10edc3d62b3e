package io.sandboxspi.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Writes {@code local.md} from the result files. */
final class Report {
  static final int OLDEST = 17;
  static final int NEWEST = 40;

  private Report() {}

  static void write(Path results) throws IOException {
    StringBuilder text = new StringBuilder();
    text.append("# Local provider and engine: targets\n\n");
    text.append(
        "Written by `benchmarks/run` from the JSON files beside it. Ratios are quotients of ");
    text.append("medians within one interleaved pass; the best of the passes counts.\n");
    for (int java = NEWEST; java >= OLDEST; java--) {
      Measured measured = new Measured(results, java);
      if (!measured.isEmpty()) {
        section(text, java, measured);
      }
    }
    Files.writeString(results.resolve("local.md"), text.toString());
  }

  private static void section(StringBuilder text, int java, Measured measured) {
    text.append("\n## Java ").append(java).append("\n\n");
    List<String> facts =
        List.of("processors", "processor", "memory", "os", "java", "pty4j", "agent-sandbox");
    facts.forEach(
        fact -> {
          String value = measured.environment().path(fact).asText();
          text.append(fact).append(": ").append(value).append("; ");
        });
    text.append("load before the passes: ").append(measured.loads()).append(".\n\n");
    text.append("| what | target | median | verdict | fastest tenths |\n|---|---|---|---|---|\n");
    for (Target target : Targets.all()) {
      text.append(target.row(measured)).append('\n');
    }
    text.append("\n| median, best pass | |\n|---|---|\n");
    for (Object[] row : Targets.medians()) {
      median(text, measured, row);
    }
  }

  private static void median(StringBuilder text, Measured measured, Object[] row) {
    String unit = (String) row[4];
    boolean more = unit.equals("MB/s") || unit.isEmpty();
    OptionalDouble value =
        more
            ? measured.largest((String) row[1], (String) row[2], "p50")
            : measured.best((String) row[1], (String) row[2], "p50");
    if (value.isPresent()) {
      double shown = value.getAsDouble() / (double) row[3];
      String form = shown >= 100 || unit.isEmpty() ? "| %s | %.0f %s |%n" : "| %s | %.2f %s |%n";
      text.append(String.format(Locale.ROOT, form, row[0], shown, unit).replace(" |\r", " |"));
    }
  }
}
