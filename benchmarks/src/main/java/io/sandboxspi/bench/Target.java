package io.sandboxspi.bench;

import java.util.Locale;
import java.util.OptionalDouble;
import java.util.function.Function;
import java.util.stream.DoubleStream;

/**
 * Something to reach.
 *
 * @param what in words
 * @param limit the bound
 * @param atLeast whether the bound is a lower one
 * @param unit put behind numbers
 * @param value the measured value; empty if it was not measured
 * @param undisturbed for medians the same of the fastest tenths, which a busy machine changes less
 */
record Target(
    String what,
    double limit,
    boolean atLeast,
    String unit,
    Function<Measured, OptionalDouble> value,
    Function<Measured, OptionalDouble> undisturbed) {
  private static final double MILLION = 1e6;

  /** At most {@code limit} times, in the best pass. */
  static Target ratio(
      String what, double limit, String experiment, String above, String below, String statistic) {
    return new Target(
        what,
        limit,
        false,
        "×",
        m -> ratios(m, experiment, above, below, statistic).min(),
        m -> fastest(m, experiment, above, below, statistic).min());
  }

  /** At least {@code limit} times, in the best pass. */
  static Target gain(
      String what, double limit, String experiment, String above, String below, String statistic) {
    return new Target(
        what,
        limit,
        true,
        "×",
        m -> ratios(m, experiment, above, below, statistic).max(),
        m -> fastest(m, experiment, above, below, statistic).max());
  }

  /** At most so many milliseconds, in the best pass. */
  static Target atMost(
      String what, double limit, String experiment, String series, String statistic) {
    return new Target(
        what,
        limit,
        false,
        " ms",
        m -> {
          OptionalDouble value = m.best(experiment, series, statistic);
          return value.isPresent()
              ? OptionalDouble.of(value.getAsDouble() / MILLION)
              : OptionalDouble.empty();
        },
        m -> OptionalDouble.empty());
  }

  private static DoubleStream ratios(
      Measured measured, String experiment, String above, String below, String statistic) {
    return measured.ratios(experiment, above, below, statistic).stream().mapToDouble(d -> d);
  }

  private static DoubleStream fastest(
      Measured measured, String experiment, String above, String below, String statistic) {
    return statistic.equals("p50")
        ? ratios(measured, experiment, above, below, "p10")
        : DoubleStream.empty();
  }

  /** A row of the table. */
  String row(Measured measured) {
    OptionalDouble found = value.apply(measured);
    OptionalDouble tenths = undisturbed.apply(measured);
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
        + " | "
        + (tenths.isPresent() ? show(tenths.getAsDouble()) + unit : "")
        + " |";
  }

  private static String show(double number) {
    if (number == Math.rint(number)) {
      return String.format(Locale.ROOT, "%.0f", number);
    }
    return String.format(Locale.ROOT, Math.abs(number) < 20 ? "%.2f" : "%.0f", number);
  }
}
