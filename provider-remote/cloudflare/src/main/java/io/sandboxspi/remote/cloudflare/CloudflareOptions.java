package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.ClientOptions;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The options of a sandbox, checked (spec S-VAL-01, S-VAL-02).
 *
 * @param workspace absolute, or below the deployment's workspace; {@code .} for that itself
 * @param sleepAfter after how long without use the deployment stops a sandbox
 * @param keepAlive whether an open session keeps it from being stopped
 * @param ports that are reached from outside
 * @param given proxy and certificates only
 */
record CloudflareOptions(
    String workspace,
    Duration sleepAfter,
    boolean keepAlive,
    OnRelease onRelease,
    Set<Integer> ports,
    Map<String, String> given) {

  static final String PROXY = "proxy";
  static final String CA_FILE = "ca-file";

  private static final String NAMES =
      "ca-file, keep-alive, on-release, ports, proxy, sleep-after, workspace";
  private static final Pattern PATH = Pattern.compile("/?[^/\\x00-\\x1f]+(/[^/\\x00-\\x1f]+)*");
  private static final int LEAST_PORT = 1024;
  private static final int MOST_PORT = 65_535;
  private static final int SERVER = 3000;
  private static final int LEAST_SLEEP = 30;
  private static final int MOST_SLEEP = 86_400;

  /** What becomes of a sandbox when a session lets go of it. */
  enum OnRelease {
    /** It runs on until it is stopped for want of use. */
    KEEP,
    /** It is deleted. */
    DELETE
  }

  CloudflareOptions {
    ports = Set.copyOf(ports);
    given = Map.copyOf(given);
  }

  static CloudflareOptions parse(Map<String, String> options) {
    Map<String, String> left = new TreeMap<>(options);
    Map<String, String> given = new TreeMap<>();
    for (String name : List.of(PROXY, CA_FILE)) {
      String value = left.remove(name);
      if (value != null) {
        given.put(name, value);
      }
    }
    CloudflareOptions parsed =
        new CloudflareOptions(
            workspace(take(left, "workspace", ".")),
            seconds(take(left, "sleep-after", "600")),
            choice("keep-alive", take(left, "keep-alive", "true"), "true", "false").equals("true"),
            OnRelease.valueOf(
                choice("on-release", take(left, "on-release", "keep"), "keep", "delete")
                    .toUpperCase(Locale.ROOT)),
            ports("ports", take(left, "ports", "")),
            given);
    if (!left.isEmpty()) {
      throw SandboxException.invalid(
          "option of provider cloudflare", left.keySet().iterator().next(), NAMES);
    }
    Object unused = client(given);
    return parsed;
  }

  /** How connections are made. */
  static ClientOptions client(Map<String, String> given) {
    ClientOptions client = ClientOptions.defaults(Bridge.USER_AGENT);
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

  private static String take(Map<String, String> left, String name, String otherwise) {
    String value = left.remove(name);
    return value == null ? otherwise : value;
  }

  private static String workspace(String value) {
    boolean plain =
        value.equals(".")
            || (PATH.matcher(value).matches() && !("/" + value + "/").matches(".*/\\.{1,2}/.*"));
    if (!plain) {
      throw SandboxException.invalid(
          "workspace", '"' + value + '"', "a path at or below /workspace, without . and ..");
    }
    return value;
  }

  private static Duration seconds(String value) {
    int number = value.matches("[0-9]{1,6}") ? Integer.parseInt(value) : 0;
    if (number < LEAST_SLEEP || number > MOST_SLEEP) {
      throw SandboxException.invalid(
          "sleep-after", '"' + value + '"', LEAST_SLEEP + " to " + MOST_SLEEP + " seconds");
    }
    return Duration.ofSeconds(number);
  }

  private static String choice(String name, String value, String... allowed) {
    if (!List.of(allowed).contains(value)) {
      throw SandboxException.invalid(name, '"' + value + '"', String.join(", ", allowed));
    }
    return value;
  }

  static Set<Integer> ports(String name, String value) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : value.isEmpty() ? new String[0] : value.split(",", -1)) {
      int port = item.matches("[0-9]{1,5}") ? Integer.parseInt(item) : 0;
      if (port < LEAST_PORT || port > MOST_PORT || port == SERVER) {
        throw SandboxException.invalid(
            name, '"' + item + '"', "1024 to 65535 with commas between, not " + SERVER);
      }
      ports.add(port);
    }
    return ports;
  }
}
