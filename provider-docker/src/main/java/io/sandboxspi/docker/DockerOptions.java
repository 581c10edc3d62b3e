package io.sandboxspi.docker;

import io.sandboxspi.SandboxException;
import java.io.IOException;
import java.math.BigDecimal;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.Set;
import java.util.regex.Pattern;

/**
 * Options of the Docker provider; docs/providers/docker.md has the table. Everything that can be
 * checked without an engine is checked here (spec S-VAL-02).
 *
 * @param image name, tag or digest
 * @param pull when the image is pulled
 * @param host the engine's address instead of the environment's
 * @param platform as {@code linux/arm64}
 * @param user as {@code name} or {@code uid:gid}; empty for the image's
 * @param workspace absolute path in the container
 * @param memory bytes
 * @param cpus how many
 * @param pids how many processes and threads
 * @param network whether there is one
 * @param readOnly whether the root file system is read-only
 * @param tmpfs sizes of file systems in memory by their paths, 0 for the engine's default
 * @param newPrivileges whether programs may gain privileges
 * @param capabilities what the container's root keeps
 * @param ports ports to publish
 * @param binds directories of the engine's host
 * @param volumes volumes of the engine
 * @param labels more labels for the container
 * @param init whether the engine's init is the first process, instead of a shell
 * @param runtime an OCI runtime that the engine knows
 * @param spares how many processes of each kind wait for a launch at most
 * @param onRelease what becomes of the container when a session lets go of it
 */
record DockerOptions(
    String image,
    Pull pull,
    Optional<String> host,
    Optional<String> platform,
    Optional<String> user,
    String workspace,
    OptionalLong memory,
    Optional<BigDecimal> cpus,
    long pids,
    Network network,
    boolean readOnly,
    Map<String, Long> tmpfs,
    boolean newPrivileges,
    List<String> capabilities,
    List<PublishedPort> ports,
    List<Bind> binds,
    List<NamedVolume> volumes,
    Map<String, String> labels,
    boolean init,
    Optional<String> runtime,
    int spares,
    OnRelease onRelease) {

  /** Directories of this host below which binds are allowed, with the path separator between. */
  static final String BIND_ROOTS = "io.sandboxspi.docker.bind-roots";

  static final String IMAGE = "image";
  static final String HOST = "host";
  static final String WORKSPACE = "workspace";

  private static final String DEFAULT_WORKSPACE = "/workspace";
  private static final long DEFAULT_PIDS = 1024;
  private static final long MOST_SPARES = 16;
  private static final long LEAST_MEMORY = 6L << 20;
  private static final String CAPABILITIES =
      "CHOWN,DAC_OVERRIDE,FOWNER,FSETID,KILL,NET_BIND_SERVICE,SETGID,SETUID";

  private static final List<String> NAMES =
      List.of(
          "binds",
          "capabilities",
          "cpus",
          HOST,
          IMAGE,
          "init",
          "labels",
          "memory",
          "network",
          "no-new-privileges",
          "on-release",
          "pids",
          "platform",
          "ports",
          "pull",
          "read-only",
          "runtime",
          "spares",
          "tmpfs",
          "user",
          "volumes",
          WORKSPACE);

  private static final Pattern IMAGE_FORM =
      Pattern.compile("[a-z0-9][A-Za-z0-9._/:-]{0,254}(@sha256:[0-9a-f]{64})?");
  private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/-]{0,127}");
  private static final Pattern USER =
      Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_.-]{0,31}(:[A-Za-z0-9_][A-Za-z0-9_.-]{0,31})?");
  private static final Pattern VOLUME = Pattern.compile("[A-Za-z0-9][A-Za-z0-9_.-]{1,127}");
  private static final Pattern CAPABILITY = Pattern.compile("[A-Z][A-Z_]{2,30}");

  /** When the image is pulled. */
  enum Pull {
    /** A missing image is an error. */
    NEVER,
    /** When the engine does not have it. */
    MISSING,
    /** Each time. */
    ALWAYS
  }

  /** Whether there is a network. */
  enum Network {
    /** The engine's. */
    DEFAULT,
    /** None. */
    NONE
  }

  /** What becomes of the container when a session lets go of it. */
  enum OnRelease {
    /** It runs on. */
    KEEP,
    /** It is stopped, its files stay. */
    STOP,
    /** It is removed. */
    REMOVE
  }

  /**
   * A published port.
   *
   * @param address of the engine's host
   * @param hostPort 0 for any
   * @param port in the container
   */
  record PublishedPort(String address, int hostPort, int port) {}

  /**
   * A directory of the engine's host.
   *
   * @param source on the host
   * @param target in the container
   * @param readOnly whether it cannot be written
   */
  record Bind(String source, String target, boolean readOnly) {}

  /**
   * A volume of the engine.
   *
   * @param name empty for one that goes with the container
   * @param target in the container
   * @param readOnly whether it cannot be written
   */
  record NamedVolume(String name, String target, boolean readOnly) {}

  DockerOptions {
    tmpfs = Map.copyOf(tmpfs);
    capabilities = List.copyOf(capabilities);
    ports = List.copyOf(ports);
    binds = List.copyOf(binds);
    volumes = List.copyOf(volumes);
    labels = Map.copyOf(labels);
  }

  static DockerOptions parse(Map<String, String> given) {
    OptionReader in = new OptionReader(given, NAMES);
    String image =
        in.text(IMAGE, IMAGE_FORM, "the name of an image")
            .orElseThrow(() -> SandboxException.invalid(IMAGE, "missing", "the name of an image"));
    DockerOptions options =
        new DockerOptions(
            image,
            in.choice("pull", Pull.MISSING),
            in.read(HOST, value -> value),
            in.text("platform", WORD, "a platform, as linux/arm64"),
            in.text("user", USER, "a user, or user:group"),
            in.read(WORKSPACE, DockerOptions::workspace).orElse(DEFAULT_WORKSPACE),
            longValue(in.read("memory", v -> OptionReader.size("memory", v, LEAST_MEMORY))),
            in.decimal("cpus", new BigDecimal("0.01"), new BigDecimal("4096")),
            in.number("pids", 8, 4_194_304).orElse(DEFAULT_PIDS),
            in.choice("network", Network.DEFAULT),
            in.flag("read-only", false),
            tmpfs(in.list("tmpfs")),
            !in.flag("no-new-privileges", true),
            in.read("capabilities", v -> v)
                .map(v -> capabilities(v))
                .orElse(capabilities(CAPABILITIES)),
            in.list("ports").stream().map(DockerOptions::port).toList(),
            in.list("binds").stream().map(DockerOptions::bind).toList(),
            in.list("volumes").stream().map(DockerOptions::volume).toList(),
            labels(in.list("labels")),
            in.flag("init", false),
            in.text("runtime", WORD, "the name of an OCI runtime"),
            (int) in.number("spares", 0, MOST_SPARES).orElse(1),
            in.choice("on-release", OnRelease.KEEP));
    options.checkTogether();
    return options;
  }

  /** The engine's address, if it is given; the names of all options are checked. */
  static Optional<String> host(Map<String, String> given) {
    return new OptionReader(given, NAMES).read(HOST, value -> value);
  }

  private void checkTogether() {
    if (network == Network.NONE && !ports.isEmpty()) {
      throw SandboxException.invalid("ports", "given", "nothing with network=none");
    }
    Set<String> targets = new HashSet<>(tmpfs.keySet());
    for (Bind bind : binds) {
      if (!targets.add(bind.target())) {
        throw SandboxException.invalid("binds", bind.target(), "a path that nothing else is at");
      }
    }
    for (NamedVolume volume : volumes) {
      if (!targets.add(volume.target())) {
        throw SandboxException.invalid(
            "volumes", volume.target(), "a path that nothing else is at");
      }
    }
  }

  private static OptionalLong longValue(Optional<Long> value) {
    return value.isPresent() ? OptionalLong.of(value.get()) : OptionalLong.empty();
  }

  private static String workspace(String value) {
    String path = OptionReader.path(WORKSPACE, value);
    if (path.equals("/") || path.matches("/(proc|sys|dev|run)(/.*)?")) {
      throw SandboxException.invalid(
          WORKSPACE, '"' + value + '"', "an absolute path that is no system directory");
    }
    return path;
  }

  private static Map<String, Long> tmpfs(List<String> items) {
    Map<String, Long> sizes = new LinkedHashMap<>();
    for (String item : items) {
      String[] parts = item.split(":", -1);
      if (parts.length > 2) {
        throw SandboxException.invalid("tmpfs", '"' + item + '"', "path or path:size");
      }
      long size = parts.length == 2 ? OptionReader.size("tmpfs", parts[1], 4096) : 0;
      sizes.put(OptionReader.path("tmpfs", parts[0]), size);
    }
    return sizes;
  }

  private static List<String> capabilities(String value) {
    List<String> names = value.isEmpty() ? List.of() : List.of(value.split(",", -1));
    for (String name : names) {
      OptionReader.matched(
          "capabilities", name, CAPABILITY, "names as CHOWN with commas between, or nothing");
    }
    return names;
  }

  private static PublishedPort port(String item) {
    String allowed = "port, hostPort:port or address:hostPort:port, ports 1 to 65535";
    String[] parts = item.split(":", -1);
    boolean wellFormed = parts.length <= 3;
    for (int i = parts.length == 3 ? 1 : 0; wellFormed && i < parts.length; i++) {
      boolean number = parts[i].matches("[0-9]{1,5}") && Integer.parseInt(parts[i]) <= 65_535;
      // Any free port of the host is written as 0.
      boolean host = i < parts.length - 1;
      wellFormed = number && (host || Integer.parseInt(parts[i]) > 0);
    }
    if (!wellFormed || (parts.length == 3 && !parts[0].matches("[0-9]{1,3}(\\.[0-9]{1,3}){3}"))) {
      throw SandboxException.invalid("ports", '"' + item + '"', allowed);
    }
    int last = parts.length - 1;
    return new PublishedPort(
        parts.length == 3 ? parts[0] : "127.0.0.1",
        last > 0 ? Integer.parseInt(parts[last - 1]) : 0,
        Integer.parseInt(parts[last]));
  }

  private static Bind bind(String item) {
    String[] parts = item.split(":", -1);
    boolean readOnly = parts.length == 3 && parts[2].equals("ro");
    if (parts.length < 2 || parts.length > 3 || (parts.length == 3 && !readOnly)) {
      throw SandboxException.invalid(
          "binds", '"' + item + '"', "source:target or source:target:ro");
    }
    Path source = Path.of(OptionReader.path("binds", parts[0]));
    List<String> roots = new ArrayList<>();
    for (String root : System.getProperty(BIND_ROOTS, "").split(java.io.File.pathSeparator)) {
      if (!root.isEmpty()) {
        roots.add(root);
        if (real(source).startsWith(real(Path.of(root)))) {
          return new Bind(source.toString(), OptionReader.path("binds", parts[1]), readOnly);
        }
      }
    }
    throw SandboxException.invalid(
        "binds",
        source,
        roots.isEmpty()
            ? "nothing unless the property " + BIND_ROOTS + " is set"
            : "below " + roots);
  }

  private static NamedVolume volume(String item) {
    String[] parts = item.split(":", -1);
    boolean readOnly = parts.length == 3 && parts[2].equals("ro");
    boolean form = parts.length == 2 || (parts.length == 3 && readOnly);
    if (!form || !(parts[0].isEmpty() || VOLUME.matcher(parts[0]).matches())) {
      throw SandboxException.invalid(
          "volumes", '"' + item + '"', "name:target, name:target:ro or :target");
    }
    return new NamedVolume(parts[0], OptionReader.path("volumes", parts[1]), readOnly);
  }

  private static Path real(Path path) {
    try {
      return Files.exists(path) ? path.toRealPath() : path.toAbsolutePath().normalize();
    } catch (IOException e) {
      throw SandboxException.invalid("binds", path, "a path that can be resolved");
    }
  }

  private static Map<String, String> labels(List<String> items) {
    Map<String, String> labels = new LinkedHashMap<>();
    for (String item : items) {
      int equals = item.indexOf('=');
      if (equals < 1 || item.startsWith(Labels.PREFIX)) {
        throw SandboxException.invalid(
            "labels", '"' + item + '"', "name=value, the name not below " + Labels.PREFIX);
      }
      labels.put(item.substring(0, equals), item.substring(equals + 1));
    }
    return labels;
  }
}
