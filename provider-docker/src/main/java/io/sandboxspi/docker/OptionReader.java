package io.sandboxspi.docker;

import io.sandboxspi.SandboxException;
import java.math.BigDecimal;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.TreeSet;
import java.util.function.Function;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Reads text options; what is wrong with one is said in its error (spec S-VAL-01, S-VAL-02). */
final class OptionReader {
  private static final Pattern SIZE = Pattern.compile("([0-9]{1,15})([bkmg]?)");
  private static final Pattern PATH = Pattern.compile("(/[^/\\x00:,]+)+|/");

  private final Map<String, String> options;

  OptionReader(Map<String, String> options, List<String> known) {
    for (String name : new TreeSet<>(options.keySet())) {
      if (!known.contains(name)) {
        throw SandboxException.invalid("option of provider docker", name, String.join(", ", known));
      }
    }
    this.options = options;
  }

  Optional<String> text(String name, Pattern form, String allowed) {
    return read(name, value -> matched(name, value, form, allowed));
  }

  <T> Optional<T> read(String name, Function<String, T> parser) {
    return Optional.ofNullable(options.get(name)).map(parser);
  }

  boolean flag(String name, boolean otherwise) {
    return read(
            name,
            value ->
                switch (value) {
                  case "true" -> true;
                  case "false" -> false;
                  default -> throw SandboxException.invalid(name, value, "true, false");
                })
        .orElse(otherwise);
  }

  <E extends Enum<E>> E choice(String name, E otherwise) {
    Class<E> type = otherwise.getDeclaringClass();
    return read(
            name,
            value -> {
              StringBuilder allowed = new StringBuilder();
              for (E constant : type.getEnumConstants()) {
                String text = constant.name().toLowerCase(java.util.Locale.ROOT);
                if (text.equals(value)) {
                  return constant;
                }
                allowed.append(allowed.isEmpty() ? "" : ", ").append(text);
              }
              throw SandboxException.invalid(name, value, allowed.toString());
            })
        .orElse(otherwise);
  }

  OptionalLong number(String name, long least, long most) {
    Optional<Long> value =
        read(
            name,
            text -> {
              String allowed = least + " to " + most;
              matched(name, text, Pattern.compile("[0-9]{1,18}"), allowed);
              long number = Long.parseLong(text);
              if (number < least || number > most) {
                throw SandboxException.invalid(name, text, allowed);
              }
              return number;
            });
    return value.isPresent() ? OptionalLong.of(value.get()) : OptionalLong.empty();
  }

  Optional<BigDecimal> decimal(String name, BigDecimal least, BigDecimal most) {
    return read(
        name,
        text -> {
          String allowed = least + " to " + most;
          matched(name, text, Pattern.compile("[0-9]{1,6}(\\.[0-9]{1,9})?"), allowed);
          BigDecimal number = new BigDecimal(text);
          if (number.compareTo(least) < 0 || number.compareTo(most) > 0) {
            throw SandboxException.invalid(name, text, allowed);
          }
          return number;
        });
  }

  List<String> list(String name) {
    return read(name, value -> value.isEmpty() ? List.<String>of() : List.of(value.split(",", -1)))
        .orElse(List.of());
  }

  static long size(String name, String text, long least) {
    String allowed = "a number of bytes, or with k, m or g; at least " + least;
    Matcher matcher = SIZE.matcher(text);
    if (!matcher.matches()) {
      throw SandboxException.invalid(name, '"' + text + '"', allowed);
    }
    long unit =
        switch (matcher.group(2)) {
          case "k" -> 1L << 10;
          case "m" -> 1L << 20;
          case "g" -> 1L << 30;
          default -> 1L;
        };
    try {
      long bytes = Math.multiplyExact(Long.parseLong(matcher.group(1)), unit);
      if (bytes >= least) {
        return bytes;
      }
    } catch (ArithmeticException e) {
      throw SandboxException.invalid(name, text, allowed);
    }
    throw SandboxException.invalid(name, text, allowed);
  }

  static String path(String name, String text) {
    boolean plain = PATH.matcher(text).matches() && !text.matches(".*/\\.{1,2}(/.*|$)");
    if (!plain) {
      throw SandboxException.invalid(
          name, '"' + text + '"', "an absolute path without ., .., colon or comma");
    }
    return text;
  }

  static String matched(String name, String text, Pattern form, String allowed) {
    if (!form.matcher(text).matches()) {
      throw SandboxException.invalid(name, '"' + text + '"', allowed);
    }
    return text;
  }
}
