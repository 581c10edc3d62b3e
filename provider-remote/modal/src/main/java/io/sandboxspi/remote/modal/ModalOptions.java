package io.sandboxspi.remote.modal;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.OptionReader;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
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
  private static final Pattern TAG = Pattern.compile("[A-Za-z0-9._-]{1,63}=[A-Za-z0-9._-]{1,63}");

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
    OptionReader options = new OptionReader(ModalProvider.NAME, given);
    ModalOptions parsed =
        new ModalOptions(
            options.matched(APP, DEFAULT_APP, NAME, A_NAME),
            options.matched("image", DEFAULT_IMAGE, IMAGE, "an image's id or name"),
            options.optional("registry-secret", SECRET, "st- and letters or digits"),
            options.seconds("timeout", durable ? LONGEST : 300, 10, LONGEST),
            options.optionalSeconds("idle-timeout", 1, LONGEST),
            options.choice(OnRelease.class, "on-release", "keep"),
            workspace(options.workspace("workspace")),
            size(options),
            new Network(
                options.choice(Access.class, "network", "open"),
                options.list("allow-cidrs", CIDR, "an address, a slash and a number"),
                options.list("allow-domains", DOMAIN, "a domain")),
            options.ports("ports", 1, Set.of()),
            options.optional("region", PLACE, "a region's name"),
            options.optional("cloud", PLACE, "a cloud's name"),
            options.optional("name", NAME, A_NAME),
            options.list("secrets", SECRET, "st- and letters or digits"),
            options.pairs(
                "tags",
                TAG,
                "name=value of letters, digits, dots, dashes, underscores",
                Marks.PREFIX),
            options.client(USER_AGENT));
    options.end();
    parsed.checkNetwork();
    return parsed;
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
    if (value.matches("/__modal(/.*)?")) {
      throw SandboxException.invalid(
          "workspace", '"' + value + '"', "no directory of the vendor's own");
    }
    return value;
  }
}
