package io.sandboxspi.cli;

import java.time.Duration;
import java.time.format.DateTimeParseException;
import java.util.Locale;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/** Reads {@code 500ms}, {@code 30s}, {@code 2m}, {@code 1h} and ISO-8601, above zero. */
final class Durations implements ITypeConverter<Duration> {
  private static final Pattern SHORT = Pattern.compile("([0-9]{1,18})(ms|s|m|h)");
  private static final Map<String, Duration> UNITS =
      Map.of(
          "ms", Duration.ofMillis(1),
          "s", Duration.ofSeconds(1),
          "m", Duration.ofMinutes(1),
          "h", Duration.ofHours(1));

  @Override
  public Duration convert(String text) {
    try {
      Duration value = parse(text.toLowerCase(Locale.ROOT));
      if (!value.isNegative() && !value.isZero()) {
        return value;
      }
    } catch (DateTimeParseException | ArithmeticException malformed) {
      throw refusal(text);
    }
    throw refusal(text);
  }

  private static Duration parse(String text) {
    Matcher matcher = SHORT.matcher(text);
    return matcher.matches()
        ? UNITS
            .getOrDefault(matcher.group(2), Duration.ZERO)
            .multipliedBy(Long.parseLong(matcher.group(1)))
        : Duration.parse(text);
  }

  private static TypeConversionException refusal(String text) {
    return new TypeConversionException(
        "'" + text + "'; allowed: 500ms, 30s, 2m, 1h or ISO-8601 as PT30S, above zero");
  }

  /** The duration as a person reads it. */
  static String show(Duration duration) {
    if (duration.toMillis() % 1000 != 0 && duration.compareTo(Duration.ofMinutes(1)) < 0) {
      return duration.toSeconds() == 0
          ? duration.toMillis() + " ms"
          : String.format(Locale.ROOT, "%.1f s", duration.toMillis() / 1000.0);
    }
    long seconds = duration.toSeconds();
    if (seconds % 3600 == 0) {
      return seconds / 3600 + " h";
    }
    return seconds % 60 == 0 ? seconds / 60 + " min" : seconds + " s";
  }
}
