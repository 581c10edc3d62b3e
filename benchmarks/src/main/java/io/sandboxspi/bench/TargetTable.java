package io.sandboxspi.bench;

import java.util.List;
import java.util.Locale;
import java.util.OptionalDouble;

/** Targets and medians of one Java, as Markdown. */
final class TargetTable {
  private static final double MILLION = 1e6;

  private TargetTable() {}

  /**
   * Appends a section.
   *
   * @param peer what else was there, with its version
   * @param medians what, experiment and series, in nanoseconds
   */
  static void section(
      StringBuilder text,
      int java,
      Measured measured,
      String peer,
      List<Target> targets,
      String[][] medians) {
    text.append("\n## Java ").append(java).append("\n\n");
    for (String fact : List.of("processors", "processor", "memory", "os", "java")) {
      text.append(fact)
          .append(": ")
          .append(measured.environment().path(fact).asText(""))
          .append("; ");
    }
    text.append(peer).append(".\n\n");
    text.append("| what | target | measured | verdict | fastest tenths |\n|---|---|---|---|---|\n");
    for (Target target : targets) {
      text.append(target.row(measured)).append('\n');
    }
    text.append("\n| median | |\n|---|---|\n");
    for (String[] row : medians) {
      OptionalDouble value = measured.best(row[1], row[2], "p50");
      if (value.isPresent()) {
        text.append(
            String.format(
                Locale.ROOT, "| %s | %.2f ms |%n", row[0], value.getAsDouble() / MILLION));
      }
    }
  }
}
