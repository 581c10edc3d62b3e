package io.sandboxspi.bench;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;

/**
 * Something to reach.
 *
 * @param what in words
 * @param limit the bound
 * @param atLeast whether the bound is a lower one
 * @param unit put behind numbers
 * @param value the measured value; empty if it was not measured
 */
record Target(
    String what,
    double limit,
    boolean atLeast,
    String unit,
    Function<Measured, OptionalDouble> value) {

  /** At most {@code limit} times, in the best pass. */
  static Target ratio(
      String what, double limit, String experiment, String above, String below, String statistic) {
    return new Target(
        what,
        limit,
        false,
        "×",
        m -> m.ratios(experiment, above, below, statistic).stream().mapToDouble(d -> d).min());
  }

  /** At least {@code limit} times, in the best pass. */
  static Target gain(
      String what, double limit, String experiment, String above, String below, String statistic) {
    return new Target(
        what,
        limit,
        true,
        "×",
        m -> m.ratios(experiment, above, below, statistic).stream().mapToDouble(d -> d).max());
  }

  /** A row of the table. */
  String row(Measured measured) {
    OptionalDouble found = value.apply(measured);
    String verdict = "not measured";
    String shown = "";
    if (found.isPresent()) {
      double number = found.getAsDouble();
      boolean met = atLeast ? number >= limit : number <= limit;
      verdict = met ? "met" : "**missed**";
      shown = show(number) + unit;
    }
    return "| "
        + what
        + " | "
        + (atLeast ? "≥ " : "≤ ")
        + show(limit)
        + unit
        + " | "
        + shown
        + " | "
        + verdict
        + " |";
  }

  private static String show(double number) {
    if (number == Math.rint(number)) {
      return String.format(Locale.ROOT, "%.0f", number);
    }
    return String.format(Locale.ROOT, Math.abs(number) < 20 ? "%.2f" : "%.0f", number);
  }
}
