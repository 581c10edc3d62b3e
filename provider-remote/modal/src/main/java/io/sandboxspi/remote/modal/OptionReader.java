package io.sandboxspi.remote.modal;

import io.sandboxspi.SandboxException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.regex.Pattern;

/** Takes options one by one; what is left over is refused. */
final class OptionReader {
  private final Map<String, String> left;

  OptionReader(Map<String, String> given) {
    left = new TreeMap<>(given);
  }

  String text(String name, String otherwise) {
    String value = left.remove(name);
    return value == null ? otherwise : value;
  }

  String matched(String name, String otherwise, Pattern form, String allowed) {
    return check(name, text(name, otherwise), form, allowed);
  }

  Optional<String> optional(String name, Pattern form, String allowed) {
    return Optional.of(text(name, ""))
        .filter(value -> !value.isEmpty())
        .map(value -> check(name, value, form, allowed));
  }

  List<String> list(String name, Pattern form, String allowed) {
    List<String> items = new ArrayList<>();
    String value = text(name, "");
    for (String item : value.isEmpty() ? new String[0] : value.split(",", -1)) {
      items.add(check(name, item, form, allowed + ", with commas between"));
    }
    return items;
  }

  static String check(String name, String value, Pattern form, String allowed) {
    if (!form.matcher(value).matches()) {
      throw SandboxException.invalid(name, '"' + value + '"', allowed);
    }
    return value;
  }

  static Duration seconds(String name, String value, long least, long most) {
    long seconds = value.matches("[0-9]{1,6}") ? Long.parseLong(value) : -1;
    if (seconds < least || seconds > most) {
      throw SandboxException.invalid(name, '"' + value + '"', least + " to " + most + " seconds");
    }
    return Duration.ofSeconds(seconds);
  }

  <E extends Enum<E>> E choice(Class<E> type, String name, String otherwise) {
    String value = text(name, otherwise);
    StringBuilder allowed = new StringBuilder();
    for (E constant : type.getEnumConstants()) {
      String word = constant.name().toLowerCase(Locale.ROOT);
      if (word.equals(value)) {
        return constant;
      }
      allowed.append(allowed.isEmpty() ? "" : ", ").append(word);
    }
    throw SandboxException.invalid(name, '"' + value + '"', allowed.toString());
  }

  /** Refuses what nobody has taken. */
  void end(String names) {
    if (!left.isEmpty()) {
      throw SandboxException.invalid(
          "option of provider modal", left.keySet().iterator().next(), names);
    }
  }
}
