package io.sandboxspi.remote.blaxel;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.ClientOptions;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The options of a sandbox, checked (spec S-VAL-01, S-VAL-02).
 *
 * @param memory in MB; two thousand of them come with one core
 * @param region where it runs; empty for what the environment says
 * @param life when the vendor ends it
 * @param labels beside the provider's
 * @param workspace absolute; empty for {@code workspace} in the user's home directory
 * @param ports that are reached from outside
 * @param previews whether who knows a port's address may use it
 */
record BlaxelOptions(
    String image,
    int memory,
    Optional<String> region,
    Life life,
    Map<String, String> labels,
    Optional<String> workspace,
    Set<Integer> ports,
    Previews previews,
    OnRelease onRelease) {

  static final String API_URL = "api-url";
  static final String SANDBOX_URL = "sandbox-url";
  static final String PROXY = "proxy";
  static final String CA_FILE = "ca-file";

  private static final List<String> NAMES =
      List.of(
          API_URL,
          CA_FILE,
          "idle-ttl",
          "image",
          "labels",
          "memory",
          "on-release",
          "ports",
          "previews",
          PROXY,
          "region",
          SANDBOX_URL,
          "ttl",
          "workspace");

  /** The vendor keeps these for itself. */
  private static final Set<Integer> RESERVED = Set.of(80, 443, 8080);

  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}");
  private static final Pattern REGION = Pattern.compile("[a-z0-9][a-z0-9-]{0,31}");
  private static final Pattern PATH = Pattern.compile("(/[^/\\x00-\\x1f]+)+");
  private static final Pattern TIME = Pattern.compile("[1-9][0-9]{0,5}[smhdw]");

  /**
   * When the vendor deletes it.
   *
   * @param most after it was made
   * @param idle without any use; empty for never
   */
  record Life(Optional<String> most, Optional<String> idle) {}

  /** Who may use a port. */
  enum Previews {
    /** Who has a token, which is a part of the endpoint. */
    PRIVATE,
    /** Everybody. */
    PUBLIC
  }

  /** What becomes of the sandbox when a session lets go of it. */
  enum OnRelease {
    /** It stays, and sleeps until it is used again. */
    KEEP,
    /** It is deleted. */
    DELETE
  }

  BlaxelOptions {
    labels = Map.copyOf(labels);
    ports = Set.copyOf(ports);
  }

  static BlaxelOptions parse(Map<String, String> given) {
    checkNames(given);
    Object unused = client(given);
    String idle = choiceOrTime(given, "idle-ttl", "7d");
    Optional<String> most = text(given, "ttl", TIME, "a time as 90s, 30m, 24h, 7d or 2w");
    if (idle.equals("never") && most.isEmpty()) {
      // Nothing would ever end what is forgotten.
      throw SandboxException.invalid("idle-ttl", "never", "a time, or never together with ttl");
    }
    return new BlaxelOptions(
        text(given, "image", IMAGE, "the name of an image").orElse("blaxel/base-image:latest"),
        memory(given.getOrDefault("memory", "4096")),
        text(given, "region", REGION, "the name of a region, as us-pdx-1"),
        new Life(most, Optional.of(idle).filter(value -> !value.equals("never"))),
        labels(given.getOrDefault("labels", "")),
        workspace(given),
        ports(given.getOrDefault("ports", "")),
        Previews.valueOf(choice(given, "previews", List.of("private", "public"), "private")),
        OnRelease.valueOf(choice(given, "on-release", List.of("keep", "delete"), "keep")));
  }

  static void checkNames(Map<String, String> given) {
    for (String name : new TreeSet<>(given.keySet())) {
      if (!NAMES.contains(name)) {
        throw SandboxException.invalid("option of provider blaxel", name, String.join(", ", NAMES));
      }
    }
  }

  /** How connections are made. */
  static ClientOptions client(Map<String, String> given) {
    ClientOptions client = ClientOptions.defaults(Wire.USER_AGENT);
    if (given.containsKey(PROXY)) {
      URI proxy;
      try {
        proxy = URI.create(given.get(PROXY));
      } catch (IllegalArgumentException e) {
        throw SandboxException.invalid(PROXY, "text that is no address", "http://host:port");
      }
      client = client.proxy(proxy);
    }
    if (given.containsKey(CA_FILE)) {
      Path file = Path.of(given.get(CA_FILE));
      if (!Files.isReadable(file)) {
        throw SandboxException.invalid(CA_FILE, file, "a file that can be read");
      }
      client = client.caFile(file);
    }
    return client;
  }

  private static Optional<String> text(
      Map<String, String> given, String name, Pattern form, String allowed) {
    Optional<String> value = Optional.ofNullable(given.get(name));
    value.ifPresent(
        text -> {
          if (!form.matcher(text).matches()) {
            throw SandboxException.invalid(name, '"' + text + '"', allowed);
          }
        });
    return value;
  }

  private static String choiceOrTime(Map<String, String> given, String name, String otherwise) {
    String value = given.getOrDefault(name, otherwise);
    return value.equals("never")
        ? value
        : text(Map.of(name, value), name, TIME, "never, or a time as 30m, 24h or 7d").orElse(value);
  }

  private static String choice(
      Map<String, String> given, String name, List<String> allowed, String otherwise) {
    String value = given.getOrDefault(name, otherwise);
    if (!allowed.contains(value)) {
      throw SandboxException.invalid(name, '"' + value + '"', String.join(", ", allowed));
    }
    return value.toUpperCase(Locale.ROOT);
  }

  private static int memory(String text) {
    int value = text.matches("[0-9]{1,6}") ? Integer.parseInt(text) : 0;
    if (value < 256 || value > 262_144) {
      throw SandboxException.invalid("memory", '"' + text + '"', "256 to 262144 MB");
    }
    return value;
  }

  private static Optional<String> workspace(Map<String, String> given) {
    Optional<String> path =
        text(given, "workspace", PATH, "an absolute path without a slash at its end");
    path.ifPresent(
        text -> {
          if (text.matches("/(proc|sys|dev|run)(/.*)?") || text.matches(".*/\\.{1,2}(/.*|$)")) {
            throw SandboxException.invalid(
                "workspace", '"' + text + '"', "an absolute path that is no system directory");
          }
        });
    return path;
  }

  private static Set<Integer> ports(String text) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : text.isEmpty() ? List.<String>of() : List.of(text.split(",", -1))) {
      int port = item.matches("[0-9]{1,5}") ? Integer.parseInt(item) : 0;
      if (port < 1 || port > 65_535 || RESERVED.contains(port)) {
        throw SandboxException.invalid(
            "ports", '"' + item + '"', "1 to 65535 with commas between, not 80, 443, 8080");
      }
      ports.add(port);
    }
    return ports;
  }

  private static Map<String, String> labels(String text) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String item : text.isEmpty() ? List.<String>of() : List.of(text.split(",", -1))) {
      int equals = item.indexOf('=');
      if (equals < 1 || item.startsWith(Marks.PREFIX)) {
        throw SandboxException.invalid(
            "labels", '"' + item + '"', "name=value, the name not below " + Marks.PREFIX);
      }
      labels.put(item.substring(0, equals), item.substring(equals + 1));
    }
    return labels;
  }
}
