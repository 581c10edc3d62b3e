package io.sandboxspi.remote.modal;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.ClientOptions;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * Options of the provider; docs/providers/modal.md has the table. Everything that can be checked
 * here is (spec S-VAL-02).
 *
 * @param app that sandboxes belong to; made when it is missing
 * @param image id of an image, or name of one in a registry
 * @param registrySecret id of the secret for a private registry
 * @param timeout how long a sandbox lives at most; it cannot be renewed
 * @param idleTimeout how long it lives without anything that runs
 * @param onRelease what becomes of it when a session lets go of it
 * @param workspace absolute, or below the home
 * @param size of the machine
 * @param network what is reached from it
 * @param ports that are reached from outside
 * @param region where it runs
 * @param cloud of whom
 * @param name unique among the running sandboxes of the app
 * @param secrets ids of secrets that all processes find in their environment
 * @param tags more of them
 * @param client how connections are made
 */
record ModalOptions(
    String app,
    String image,
    Optional<String> registrySecret,
    Duration timeout,
    Optional<Duration> idleTimeout,
    OnRelease onRelease,
    String workspace,
    Size size,
    Network network,
    Set<Integer> ports,
    Optional<String> region,
    Optional<String> cloud,
    Optional<String> name,
    List<String> secrets,
    Map<String, String> tags,
    ClientOptions client) {

  static final String APP = "app";
  static final String USER_AGENT = "sandbox-spi";

  private static final String DEFAULT_APP = "sandbox-spi";
  private static final String DEFAULT_IMAGE = "python:3.14-slim";
  private static final long LONGEST = 86_400;
  private static final Pattern NAME =
      Pattern.compile("(?!ap-[0-9A-Za-z]{22}$)[A-Za-z0-9._-]{1,64}");
  private static final String A_NAME = "at most 64 letters, digits, dots, dashes and underscores";
  private static final Pattern IMAGE = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,255}");
  private static final Pattern SECRET = Pattern.compile("st-[A-Za-z0-9]{1,64}");
  private static final Pattern PLACE = Pattern.compile("[a-z0-9-]{1,32}");
  private static final Pattern NUMBERS = Pattern.compile("[0-9.]{1,8}(:[0-9.]{1,8})?");
  private static final Pattern GPU = Pattern.compile("[A-Za-z0-9-]{1,32}(:[1-8])?");
  private static final Pattern CIDR = Pattern.compile("[0-9a-fA-F.:]{2,45}/[0-9]{1,3}");
  private static final Pattern DOMAIN = Pattern.compile("(\\*\\.)?[A-Za-z0-9.-]{1,253}");
  private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9._-]{1,63}=[A-Za-z0-9._-]{1,63}");
  private static final Pattern PATH = Pattern.compile("/?[^/\\x00\\n]+(/[^/\\x00\\n]+)*");
  private static final String NAMES =
      "allow-cidrs, allow-domains, app, ca-file, cloud, cpu, gpu, idle-timeout, image, memory,"
          + " name, network, on-release, ports, proxy, region, registry-secret, secrets, tags,"
          + " timeout, workspace";

  /** What becomes of a sandbox when a session lets go of it. */
  enum OnRelease {
    /** It runs on until its time is over. */
    KEEP,
    /** It is ended. */
    KILL
  }

  /** Whether the network is there at all. */
  enum Access {
    /** It is. */
    OPEN,
    /** It is not. */
    BLOCKED
  }

  /**
   * What is reached from a sandbox.
   *
   * @param cidrs the only addresses, unless empty
   * @param domains the only names, unless empty
   */
  record Network(Access access, List<String> cidrs, List<String> domains) {}

  /**
   * Of the machine; 0 for the vendor's default.
   *
   * @param gpu kind and, after a colon, number
   */
  record Size(int milliCpu, int milliCpuMax, int memory, int memoryMax, Optional<String> gpu) {}

  ModalOptions {
    ports = Set.copyOf(ports);
    secrets = List.copyOf(secrets);
    tags = Map.copyOf(tags);
  }

  /**
   * Reads them.
   *
   * @param durable whether the sandbox is to outlive sessions: then it lives as long as it can
   */
  static ModalOptions parse(Map<String, String> given, boolean durable) {
    OptionReader options = new OptionReader(given);
    String idle = options.text("idle-timeout", "");
    ModalOptions parsed =
        new ModalOptions(
            app(options),
            options.matched("image", DEFAULT_IMAGE, IMAGE, "an image's id or name"),
            options.optional("registry-secret", SECRET, "st- and letters or digits"),
            OptionReader.seconds(
                "timeout", options.text("timeout", durable ? "" + LONGEST : "300"), 10, LONGEST),
            Optional.of(idle)
                .filter(text -> !text.isEmpty())
                .map(text -> OptionReader.seconds("idle-timeout", text, 1, LONGEST)),
            options.choice(OnRelease.class, "on-release", "keep"),
            workspace(options.text("workspace", "workspace")),
            size(options),
            new Network(
                options.choice(Access.class, "network", "open"),
                options.list("allow-cidrs", CIDR, "an address, a slash and a number"),
                options.list("allow-domains", DOMAIN, "a domain")),
            ports(options),
            options.optional("region", PLACE, "a region's name"),
            options.optional("cloud", PLACE, "a cloud's name"),
            options.optional("name", NAME, A_NAME),
            options.list("secrets", SECRET, "st- and letters or digits"),
            tags(options),
            client(options));
    options.end(NAMES);
    parsed.checkNetwork();
    return parsed;
  }

  private static String app(OptionReader options) {
    return options.matched(APP, DEFAULT_APP, NAME, A_NAME);
  }

  private void checkNetwork() {
    boolean listed = !network.cidrs().isEmpty() || !network.domains().isEmpty();
    if (network.access() == Access.BLOCKED && (listed || !ports.isEmpty())) {
      throw SandboxException.invalid(
          "network", "\"blocked\"", "open, where ports, allow-cidrs or allow-domains are given");
    }
  }

  private static Size size(OptionReader options) {
    int[] cpu = pair("cpu", options.matched("cpu", "0", NUMBERS, "cores, or least:most"), 1000);
    int[] memory = pair("memory", options.matched("memory", "0", NUMBERS, "MiB, or least:most"), 1);
    return new Size(
        cpu[0],
        cpu[1],
        memory[0],
        memory[1],
        options.optional("gpu", GPU, "a kind, or a kind, a colon and 1 to 8"));
  }

  private static int[] pair(String name, String text, int factor) {
    try {
      String[] parts = text.split(":", -1);
      int least = (int) (Double.parseDouble(parts[0]) * factor);
      int most = parts.length > 1 ? (int) (Double.parseDouble(parts[1]) * factor) : 0;
      if (most == 0 || most >= least) {
        return new int[] {least, most};
      }
    } catch (NumberFormatException e) {
      throw SandboxException.invalid(name, '"' + text + '"', "a number, or least:most");
    }
    throw SandboxException.invalid(name, '"' + text + '"', "a most that is not below the least");
  }

  private static String workspace(String value) {
    boolean plain =
        PATH.matcher(value).matches()
            && !("/" + value + "/").matches(".*/\\.{1,2}/.*")
            && !value.matches("/(proc|sys|dev|run|etc|__modal)(/.*)?");
    if (!plain) {
      throw SandboxException.invalid(
          "workspace",
          '"' + value + '"',
          "an absolute path or one below the home, without . and .., no system directory");
    }
    return value;
  }

  private static Set<Integer> ports(OptionReader options) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : options.list("ports", PORT, "1 to 65535")) {
      int port = Integer.parseInt(item);
      if (port > 65_535) {
        throw SandboxException.invalid("ports", '"' + item + '"', "1 to 65535");
      }
      ports.add(port);
    }
    return ports;
  }

  private static Map<String, String> tags(OptionReader options) {
    Map<String, String> tags = new TreeMap<>();
    String allowed = "name=value of letters, digits, dots, dashes and underscores";
    for (String item : options.list("tags", TAG, allowed)) {
      String name = item.substring(0, item.indexOf('='));
      if (name.startsWith(Marks.PREFIX)) {
        throw SandboxException.invalid(
            "tags", '"' + item + '"', allowed + ", no name below " + Marks.PREFIX);
      }
      tags.put(name, item.substring(name.length() + 1));
    }
    return tags;
  }

  private static ClientOptions client(OptionReader options) {
    ClientOptions client = ClientOptions.defaults(USER_AGENT);
    String proxy = options.text("proxy", "");
    String caFile = options.text("ca-file", "");
    if (!proxy.isEmpty()) {
      try {
        client = client.proxy(URI.create(proxy));
      } catch (IllegalArgumentException e) {
        throw SandboxException.invalid("proxy", "not an address", "http://host:port");
      }
    }
    return caFile.isEmpty() ? client : client.caFile(Path.of(caFile));
  }
}
