package io.sandboxspi.remote.transport;

import io.sandboxspi.SandboxException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Takes a provider's options one by one and checks each; what is left over is refused (spec
 * S-VAL-01, S-VAL-02). Not thread-safe. Every failure is {@code INVALID_ARGUMENT} and names the
 * option, the value, unless that may hold a secret, and what is allowed.
 */
public final class OptionReader {
  /** Of {@code http://host:port}. */
  public static final String PROXY = "proxy";

  /** Certificates in PEM form. */
  public static final String CA_FILE = "ca-file";

  private static final Pattern PATH = Pattern.compile("/?[^/\\x00-\\x1f]+(/[^/\\x00-\\x1f]+)*");

  private final String provider;
  private final Map<String, String> left;
  private final Set<String> known = new TreeSet<>();

  /** Of the provider of this name. */
  public OptionReader(String provider, Map<String, String> given) {
    this.provider = provider;
    left = new TreeMap<>(given);
  }

  /** Takes an option without a look at it. */
  public String text(String name, String otherwise) {
    known.add(name);
    String value = left.remove(name);
    return value == null ? otherwise : value;
  }

  /** Text of a form; {@code allowed} describes the form. */
  public String matched(String name, String otherwise, Pattern form, String allowed) {
    return check(name, text(name, otherwise), form, allowed);
  }

  /** Text of a form; what is not given, or empty, is empty. */
  public Optional<String> optional(String name, Pattern form, String allowed) {
    return Optional.of(text(name, ""))
        .filter(value -> !value.isEmpty())
        .map(value -> check(name, value, form, allowed));
  }

  /** Texts of a form with commas between; empty when it is not given. */
  public List<String> list(String name, Pattern form, String allowed) {
    List<String> items = new ArrayList<>();
    for (String item : items(text(name, ""))) {
      items.add(check(name, item, form, allowed + ", with commas between"));
    }
    return items;
  }

  /**
   * {@code name=value} of a form with commas between, in their order.
   *
   * @param form of the whole
   * @param reserved how a name may not begin
   */
  public Map<String, String> pairs(String name, Pattern form, String allowed, String reserved) {
    Map<String, String> pairs = new LinkedHashMap<>();
    for (String item : list(name, form, allowed + ", no name below " + reserved)) {
      if (item.startsWith(reserved)) {
        throw refused(name, item, allowed + ", no name below " + reserved);
      }
      int equals = item.indexOf('=');
      pairs.put(item.substring(0, equals), item.substring(equals + 1));
    }
    return pairs;
  }

  /** A whole number of seconds. */
  public Duration seconds(String name, long otherwise, long least, long most) {
    String value = text(name, String.valueOf(otherwise));
    return Duration.ofSeconds(whole(name, value, least, most, " seconds"));
  }

  /** A whole number of seconds; empty when it is not given. */
  public Optional<Duration> optionalSeconds(String name, long least, long most) {
    return Optional.of(text(name, ""))
        .filter(value -> !value.isEmpty())
        .map(value -> Duration.ofSeconds(whole(name, value, least, most, " seconds")));
  }

  /** A whole number; empty when it is not given. */
  public OptionalInt number(String name, int least, int most) {
    String value = text(name, "");
    return value.isEmpty()
        ? OptionalInt.empty()
        : OptionalInt.of((int) whole(name, value, least, most, ""));
  }

  private static long whole(String name, String value, long least, long most, String unit) {
    if (value.matches("-?[0-9]{1,9}")) {
      long number = Long.parseLong(value);
      if (number >= least && number <= most) {
        return number;
      }
    }
    throw refused(name, value, least + " to " + most + unit);
  }

  /** {@code true} or {@code false}. */
  public boolean flag(String name, boolean otherwise) {
    String value = text(name, String.valueOf(otherwise));
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw refused(name, value, "true, false");
    };
  }

  /** A constant by its name in lower case. */
  public <E extends Enum<E>> E choice(Class<E> type, String name, String otherwise) {
    return chosen(type, name, text(name, otherwise));
  }

  /** The same of a text. */
  public static <E extends Enum<E>> E chosen(Class<E> type, String name, String value) {
    List<String> allowed = new ArrayList<>();
    for (E constant : type.getEnumConstants()) {
      String word = constant.name().toLowerCase(Locale.ROOT);
      if (word.equals(value)) {
        return constant;
      }
      allowed.add(word);
    }
    throw refused(name, value, String.join(", ", allowed));
  }

  /**
   * Numbers of ports with commas between, in ascending order.
   *
   * @param reserved what the vendor keeps for itself
   */
  public Set<Integer> ports(String name, int least, Set<Integer> reserved) {
    return ports(name, text(name, ""), least, reserved);
  }

  /** The same of a text. */
  public static Set<Integer> ports(String name, String text, int least, Set<Integer> reserved) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : items(text)) {
      int port = item.matches("[0-9]{1,5}") ? Integer.parseInt(item) : 0;
      if (port < least || port > 65_535 || reserved.contains(port)) {
        String but =
            String.join(", ", new TreeSet<>(reserved).stream().map(String::valueOf).toList());
        throw refused(
            name,
            item,
            least + " to 65535 with commas between" + (but.isEmpty() ? "" : ", not " + but));
      }
      ports.add(port);
    }
    return ports;
  }

  /** Ports as {@link #ports} reads them. */
  public static String text(Set<Integer> ports) {
    return ports.stream().sorted().map(String::valueOf).collect(Collectors.joining(","));
  }

  /** A path, absolute or below the home, that is no system directory. */
  public String workspace(String otherwise) {
    return workspace(
        text("workspace", otherwise),
        "an absolute path or one below the home, without . and .., no system directory");
  }

  /** An absolute path that is no system directory; empty when it is not given. */
  public Optional<String> absoluteWorkspace() {
    String allowed = "an absolute path without . and .., no system directory";
    return Optional.of(text("workspace", ""))
        .filter(value -> !value.isEmpty())
        .map(
            value -> {
              if (!value.startsWith("/")) {
                throw refused("workspace", value, allowed);
              }
              return workspace(value, allowed);
            });
  }

  private static String workspace(String value, String allowed) {
    boolean plain =
        PATH.matcher(value).matches()
            && !("/" + value + "/").matches(".*/\\.{1,2}/.*")
            && !value.matches("/(proc|sys|dev|run|etc)(/.*)?");
    if (!plain) {
      throw refused("workspace", value, allowed);
    }
    return value;
  }

  /** How connections are made: takes {@link #PROXY} and {@link #CA_FILE}. */
  public ClientOptions client(String userAgent) {
    String proxy = text(PROXY, "");
    String caFile = text(CA_FILE, "");
    ClientOptions client = ClientOptions.defaults(userAgent);
    if (!proxy.isEmpty()) {
      try {
        client = client.proxy(URI.create(proxy));
      } catch (IllegalArgumentException e) {
        // Not the value: it may hold a password.
        throw SandboxException.invalid(PROXY, "text that is no address", "http://host:port");
      }
    }
    return caFile.isEmpty() ? client : client.caFile(readable(caFile));
  }

  private static Path readable(String text) {
    try {
      Path file = Path.of(text).toAbsolutePath();
      if (Files.isReadable(file)) {
        return file;
      }
    } catch (InvalidPathException e) {
      throw refused(CA_FILE, text, "a path");
    }
    throw refused(CA_FILE, text, "a file that can be read");
  }

  /** What {@link #client} reads, for a reference. */
  public static Map<String, String> data(ClientOptions client) {
    Map<String, String> data = new TreeMap<>();
    client.proxy().ifPresent(proxy -> data.put(PROXY, proxy.toString()));
    client.caFile().ifPresent(file -> data.put(CA_FILE, file.toString()));
    return data;
  }

  /** Refuses what nobody has taken. */
  public void end() {
    if (!left.isEmpty()) {
      throw SandboxException.invalid(
          "option of provider " + provider,
          left.keySet().iterator().next(),
          String.join(", ", known));
    }
  }

  private static List<String> items(String text) {
    return text.isEmpty() ? List.of() : List.of(text.split(",", -1));
  }

  private static String check(String name, String value, Pattern form, String allowed) {
    if (!form.matcher(value).matches()) {
      throw refused(name, value, allowed);
    }
    return value;
  }

  private static SandboxException refused(String name, String value, String allowed) {
    return SandboxException.invalid(name, '"' + value + '"', allowed);
  }
}
