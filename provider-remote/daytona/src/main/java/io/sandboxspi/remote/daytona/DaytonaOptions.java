package io.sandboxspi.remote.daytona;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.transport.ClientOptions;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.TreeSet;
import java.util.regex.Pattern;

/**
 * The options of a sandbox, checked (spec S-VAL-01, S-VAL-02).
 *
 * @param source snapshot or image; both empty for the organisation's default
 * @param size for an image only
 * @param labels beside the provider's
 * @param workspace absolute; empty for {@code workspace} in the user's home directory
 */
record DaytonaOptions(
    Map<String, String> given,
    Source source,
    Size size,
    Life life,
    Map<String, String> labels,
    Optional<String> target,
    Optional<String> workspace,
    boolean network,
    boolean open,
    OnRelease onRelease,
    boolean keepAlive) {

  static final String API_URL = "api-url";
  static final String TOOLBOX_URL = "toolbox-url";
  static final String PROXY = "proxy";
  static final String CA_FILE = "ca-file";

  private static final List<String> NAMES =
      List.of(
          API_URL,
          "auto-archive",
          "auto-delete",
          "auto-stop",
          CA_FILE,
          "cpu",
          "disk",
          "image",
          "keep-alive",
          "labels",
          "memory",
          "network",
          "on-release",
          PROXY,
          "public",
          "snapshot",
          "target",
          TOOLBOX_URL,
          "ttl",
          "workspace");

  private static final int MOST_MINUTES = 525_600;
  private static final Pattern NAME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/:@-]{0,254}");
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._-]{0,63}");
  private static final Pattern PATH = Pattern.compile("(/[^/\\x00-\\x1f]+)+");

  /** From what a sandbox is made. */
  record Source(Optional<String> snapshot, Optional<String> image) {}

  /** Cores and gigabytes. */
  record Size(OptionalInt cpu, OptionalInt memory, OptionalInt disk) {
    private boolean given() {
      return cpu.isPresent() || memory.isPresent() || disk.isPresent();
    }
  }

  /**
   * When the vendor ends it, in minutes.
   *
   * @param stop without activity; 0 for never
   * @param archive after it was stopped
   * @param delete after it was stopped; 0 for at once, negative for never
   * @param ttl after it was made
   */
  record Life(int stop, OptionalInt archive, OptionalInt delete, OptionalInt ttl) {}

  /** What becomes of the sandbox when a session lets go of it. */
  enum OnRelease {
    /** It runs on until the vendor stops it. */
    KEEP,
    /** It is stopped: its disk stays, its processes end. */
    STOP,
    /** It is stopped and its disk moved away. */
    ARCHIVE,
    /** Its memory stays too; some classes of sandboxes only. */
    PAUSE,
    /** It is deleted. */
    DELETE
  }

  DaytonaOptions {
    given = Map.copyOf(given);
    labels = Map.copyOf(labels);
  }

  static DaytonaOptions parse(Map<String, String> given) {
    for (String name : new TreeSet<>(given.keySet())) {
      if (!NAMES.contains(name)) {
        throw SandboxException.invalid(
            "option of provider daytona", name, String.join(", ", NAMES));
      }
    }
    DaytonaOptions options =
        new DaytonaOptions(
            given,
            new Source(
                text(given, "snapshot", NAME, "the name of a snapshot"),
                text(given, "image", NAME, "the name of an image")),
            new Size(
                number(given, "cpu", 1, 1024),
                number(given, "memory", 1, 65_536),
                number(given, "disk", 1, 65_536)),
            new Life(
                number(given, "auto-stop", 0, MOST_MINUTES).orElse(15),
                number(given, "auto-archive", 0, MOST_MINUTES),
                number(given, "auto-delete", -1, MOST_MINUTES),
                number(given, "ttl", 1, MOST_MINUTES)),
            labels(given.getOrDefault("labels", "")),
            text(given, "target", WORD, "the name of a region, as us"),
            text(given, "workspace", PATH, "an absolute path without a slash at its end"),
            choice(given, "network", List.of("default", "none"), "default").equals("default"),
            flag(given, "public", false),
            OnRelease.valueOf(
                choice(
                        given,
                        "on-release",
                        List.of("keep", "stop", "archive", "pause", "delete"),
                        "keep")
                    .toUpperCase(Locale.ROOT)),
            flag(given, "keep-alive", true));
    options.checkTogether();
    return options;
  }

  private void checkTogether() {
    if (source.snapshot().isPresent() && source.image().isPresent()) {
      throw SandboxException.invalid("image", "given", "nothing with a snapshot");
    }
    if (size.given() && source.image().isEmpty()) {
      throw SandboxException.invalid(
          "cpu, memory or disk", "given", "nothing without image: a snapshot has its own");
    }
    if (life.stop() == 0 && life.ttl().isEmpty()) {
      // Nothing would ever end what is forgotten.
      throw SandboxException.invalid("auto-stop", 0, "1 or more, or 0 together with ttl");
    }
    workspace.ifPresent(
        path -> {
          if (path.matches("/(proc|sys|dev|run)(/.*)?") || path.matches(".*/\\.{1,2}(/.*|$)")) {
            throw SandboxException.invalid(
                "workspace", '"' + path + '"', "an absolute path that is no system directory");
          }
        });
  }

  /** How connections are made. */
  static ClientOptions client(Map<String, String> given, String userAgent) {
    ClientOptions client = ClientOptions.defaults(userAgent);
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

  /** How often the vendor hears that the sandbox is in use; empty for never. */
  static Optional<Duration> heartbeat(int autoStop, boolean keepAlive) {
    return autoStop > 0 && keepAlive
        ? Optional.of(Duration.ofSeconds(Math.max(20, autoStop * 60L / 3)))
        : Optional.empty();
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

  private static OptionalInt number(Map<String, String> given, String name, int least, int most) {
    String text = given.get(name);
    if (text == null) {
      return OptionalInt.empty();
    }
    if (text.matches("-?[0-9]{1,9}")) {
      int value = Integer.parseInt(text);
      if (value >= least && value <= most) {
        return OptionalInt.of(value);
      }
    }
    throw SandboxException.invalid(name, '"' + text + '"', least + " to " + most);
  }

  private static boolean flag(Map<String, String> given, String name, boolean otherwise) {
    return choice(given, name, List.of("true", "false"), String.valueOf(otherwise)).equals("true");
  }

  private static String choice(
      Map<String, String> given, String name, List<String> allowed, String otherwise) {
    String value = given.getOrDefault(name, otherwise);
    if (!allowed.contains(value)) {
      throw SandboxException.invalid(name, '"' + value + '"', String.join(", ", allowed));
    }
    return value;
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
