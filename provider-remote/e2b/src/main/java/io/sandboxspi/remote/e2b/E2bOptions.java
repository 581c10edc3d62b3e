package io.sandboxspi.remote.e2b;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.ClientOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Options of the provider; docs/providers/e2b.md has the table. Everything that can be checked here
 * is (spec S-VAL-02).
 *
 * @param template name, id, or id of a snapshot
 * @param timeout how long a sandbox lives after the last renewal
 * @param keepAlive whether its life is renewed while a session is open
 * @param onTimeout what the vendor does at its end
 * @param onRelease what becomes of it when a session lets go of it
 * @param user of its processes; empty for the vendor's
 * @param workspace absolute, or below the user's home
 * @param internet whether it has access to the internet
 * @param ports that are reached from outside
 * @param metadata more of it
 * @param streamKeepAlive how often an idle stream must say that it lives
 * @param client how connections are made
 */
record E2bOptions(
    String template,
    Duration timeout,
    boolean keepAlive,
    OnTimeout onTimeout,
    OnRelease onRelease,
    Optional<String> user,
    String workspace,
    boolean internet,
    Set<Integer> ports,
    Map<String, String> metadata,
    Duration streamKeepAlive,
    ClientOptions client) {

  static final String USER_AGENT = "sandbox-spi";

  /** How often an idle stream says that it lives, if nothing else is asked for. */
  static final Duration STREAM_KEEP_ALIVE = Duration.ofSeconds(20);

  private static final long LONGEST = 86_400;
  private static final Pattern TEMPLATE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:-]{0,199}");
  private static final Pattern USER = Pattern.compile("[a-z_][a-z0-9_-]{0,31}");
  private static final Pattern PATH = Pattern.compile("/?[^/\\x00\\n]+(/[^/\\x00\\n]+)*");

  /** What the vendor does with a sandbox whose time is over. */
  enum OnTimeout {
    /** It is removed. */
    KILL,
    /** It is kept without running. */
    PAUSE
  }

  /** What becomes of a sandbox when a session lets go of it. */
  enum OnRelease {
    /** It runs on until its time is over. */
    KEEP,
    /** It is kept without running. */
    PAUSE,
    /** It is removed. */
    KILL
  }

  private static final String NAMES =
      "ca-file, internet, keep-alive, metadata, on-release, on-timeout, ports, proxy,"
          + " stream-keep-alive, template, timeout, user, workspace";

  E2bOptions {
    metadata = Map.copyOf(metadata);
    ports = Set.copyOf(ports);
  }

  /**
   * Reads them.
   *
   * @param durable whether the sandbox is to outlive sessions: then its end is a pause unless the
   *     options say otherwise
   */
  static E2bOptions parse(Map<String, String> given, boolean durable) {
    Map<String, String> left = new TreeMap<>(given);
    String template = take(left, "template", "base");
    matched("template", template, TEMPLATE, "a template's name or id");
    String user = take(left, "user", "");
    if (!user.isEmpty()) {
      matched("user", user, USER, "a user's name");
    }
    E2bOptions options =
        new E2bOptions(
            template,
            seconds("timeout", take(left, "timeout", "300"), 15, LONGEST),
            flag("keep-alive", take(left, "keep-alive", "true")),
            choice(
                OnTimeout.class,
                "on-timeout",
                take(left, "on-timeout", durable ? "pause" : "kill")),
            choice(OnRelease.class, "on-release", take(left, "on-release", "keep")),
            Optional.of(user).filter(name -> !name.isEmpty()),
            workspace(take(left, "workspace", "workspace")),
            flag("internet", take(left, "internet", "true")),
            ports(take(left, "ports", "")),
            metadata(take(left, "metadata", "")),
            seconds(
                "stream-keep-alive",
                take(left, "stream-keep-alive", String.valueOf(STREAM_KEEP_ALIVE.toSeconds())),
                1,
                300),
            client(
                Optional.ofNullable(left.remove("proxy")),
                Optional.ofNullable(left.remove("ca-file"))));
    if (!left.isEmpty()) {
      throw SandboxException.invalid(
          "option of provider e2b", left.keySet().iterator().next(), NAMES);
    }
    return options;
  }

  private static String take(Map<String, String> left, String name, String otherwise) {
    String value = left.remove(name);
    return value == null ? otherwise : value;
  }

  private static void matched(String name, String value, Pattern form, String allowed) {
    if (!form.matcher(value).matches()) {
      throw SandboxException.invalid(name, '"' + value + '"', allowed);
    }
  }

  private static Duration seconds(String name, String value, long least, long most) {
    boolean number = value.matches("[0-9]{1,6}");
    long seconds = number ? Long.parseLong(value) : -1;
    if (seconds < least || seconds > most) {
      throw SandboxException.invalid(name, '"' + value + '"', least + " to " + most + " seconds");
    }
    return Duration.ofSeconds(seconds);
  }

  private static boolean flag(String name, String value) {
    return switch (value) {
      case "true" -> true;
      case "false" -> false;
      default -> throw SandboxException.invalid(name, '"' + value + '"', "true, false");
    };
  }

  private static <E extends Enum<E>> E choice(Class<E> type, String name, String value) {
    StringBuilder allowed = new StringBuilder();
    for (E constant : type.getEnumConstants()) {
      String text = constant.name().toLowerCase(Locale.ROOT);
      if (text.equals(value)) {
        return constant;
      }
      allowed.append(allowed.isEmpty() ? "" : ", ").append(text);
    }
    throw SandboxException.invalid(name, '"' + value + '"', allowed.toString());
  }

  private static String workspace(String value) {
    boolean plain =
        PATH.matcher(value).matches()
            && !("/" + value + "/").matches(".*/\\.{1,2}/.*")
            && !value.matches("/(proc|sys|dev|run|etc)(/.*)?");
    if (!plain) {
      throw SandboxException.invalid(
          "workspace",
          '"' + value + '"',
          "an absolute path or one below the home, without . and .., no system directory");
    }
    return value;
  }

  private static Set<Integer> ports(String value) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : value.isEmpty() ? new String[0] : value.split(",", -1)) {
      int port = item.matches("[0-9]{1,5}") ? Integer.parseInt(item) : 0;
      if (port < 1 || port > 65_535 || port == Envd.PORT) {
        throw SandboxException.invalid(
            "ports", '"' + item + '"', "1 to 65535 with commas between, not " + Envd.PORT);
      }
      ports.add(port);
    }
    return ports;
  }

  private static Map<String, String> metadata(String value) {
    Map<String, String> metadata = new LinkedHashMap<>();
    for (String item : value.isEmpty() ? new String[0] : value.split(",", -1)) {
      int equals = item.indexOf('=');
      if (equals < 1 || item.startsWith(Marks.PREFIX)) {
        throw SandboxException.invalid(
            "metadata",
            '"' + item + '"',
            "name=value with commas between, no name below " + Marks.PREFIX);
      }
      metadata.put(item.substring(0, equals), item.substring(equals + 1));
    }
    return metadata;
  }

  private static ClientOptions client(Optional<String> proxy, Optional<String> caFile) {
    ClientOptions client = ClientOptions.defaults(USER_AGENT);
    if (proxy.isPresent()) {
      try {
        client = client.proxy(URI.create(proxy.get()));
      } catch (IllegalArgumentException e) {
        throw SandboxException.invalid("proxy", "not an address", "http://host:port");
      }
    }
    return caFile.isPresent() ? client.caFile(Path.of(caFile.get())) : client;
  }
}
