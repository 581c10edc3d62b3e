package io.sandboxspi.local;

import io.sandboxspi.SandboxException;
import io.sandboxspi.spi.BackendRef;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/**
 * Options of the local provider (spec S-VAL-02).
 *
 * @param workspace a directory of the caller's, never removed; empty for a fresh one
 * @param base where fresh workspaces are made; empty for the system's temporary directory
 * @param isolation how far processes are confined
 * @param inherit names of host variables that processes get (spec S-LOCAL-01)
 * @param ports where processes of the sandbox listen
 */
record LocalOptions(
    Optional<Path> workspace,
    Optional<Path> base,
    Isolation isolation,
    Set<String> inherit,
    Set<Integer> ports) {
  /** Absolute path of an existing directory. */
  static final String WORKSPACE = "workspace";

  /** Absolute path of an existing directory for fresh workspaces. */
  static final String BASE = "base";

  /** Ports, with commas between. */
  static final String PORTS = "ports";

  /** {@code none} or {@code namespaces}. */
  static final String ISOLATION = "isolation";

  /** Names of host variables, with commas between. */
  static final String INHERIT = "inherit";

  private static final List<String> NAMES = List.of(BASE, INHERIT, ISOLATION, PORTS, WORKSPACE);
  private static final Pattern VARIABLE = Pattern.compile("[A-Za-z_][A-Za-z0-9_]*");

  private static final Pattern PORT = Pattern.compile("[1-9][0-9]{0,4}");

  /** How far processes are confined. */
  enum Isolation {
    /** Not at all. */
    NONE,
    /** By bubblewrap: own processes, network and /tmp, everything but the workspace read-only. */
    NAMESPACES
  }

  static LocalOptions parse(Map<String, String> options) {
    for (String name : new TreeSet<>(options.keySet())) {
      if (!NAMES.contains(name)) {
        throw SandboxException.invalid("option of provider local", name, String.join(", ", NAMES));
      }
    }
    LocalOptions parsed =
        new LocalOptions(
            Optional.ofNullable(options.get(WORKSPACE)).map(path -> directory(WORKSPACE, path)),
            Optional.ofNullable(options.get(BASE)).map(path -> directory(BASE, path)),
            isolation(options.getOrDefault(ISOLATION, "none")),
            names(options.getOrDefault(INHERIT, "")),
            ports(options.getOrDefault(PORTS, "")));
    if (parsed.isolation == Isolation.NAMESPACES && !parsed.ports.isEmpty()) {
      throw SandboxException.invalid(
          PORTS, parsed.ports, "none with isolation=namespaces, which has no network");
    }
    return parsed;
  }

  /** What a reference remembers of them. */
  Map<String, String> data() {
    return Map.of(
        ISOLATION,
        isolation == Isolation.NONE ? "none" : "namespaces",
        INHERIT,
        String.join(",", inherit),
        PORTS,
        ports.stream().sorted().map(String::valueOf).collect(Collectors.joining(",")));
  }

  /** What a reference remembered. */
  static LocalOptions of(BackendRef ref) {
    return new LocalOptions(
        Optional.empty(),
        Optional.empty(),
        isolation(ref.data().getOrDefault(ISOLATION, "none")),
        names(ref.data().getOrDefault(INHERIT, "")),
        ports(ref.data().getOrDefault(PORTS, "")));
  }

  private static Path directory(String option, String value) {
    String allowed = "the absolute path of an existing directory";
    try {
      Path path = Path.of(value);
      if (path.isAbsolute() && Files.isDirectory(path)) {
        return path;
      }
    } catch (InvalidPathException e) {
      throw SandboxException.invalid(option, value, allowed);
    }
    throw SandboxException.invalid(option, value, allowed);
  }

  private static Isolation isolation(String value) {
    return switch (value) {
      case "none" -> Isolation.NONE;
      case "namespaces" -> Isolation.NAMESPACES;
      default -> throw SandboxException.invalid(ISOLATION, value, "none, namespaces");
    };
  }

  private static Set<Integer> ports(String value) {
    Set<Integer> ports = new TreeSet<>();
    for (String item : value.isEmpty() ? new String[0] : value.split(",", -1)) {
      if (!PORT.matcher(item).matches() || Integer.parseInt(item) > 65_535) {
        throw SandboxException.invalid(
            PORTS, '"' + value + '"', "numbers from 1 to 65535 with commas between");
      }
      ports.add(Integer.parseInt(item));
    }
    return ports;
  }

  private static Set<String> names(String value) {
    Set<String> names = new LinkedHashSet<>();
    for (String name : value.isEmpty() ? new String[0] : value.split(",", -1)) {
      if (!VARIABLE.matcher(name).matches()) {
        throw SandboxException.invalid(
            INHERIT, '"' + value + '"', "names of variables with commas between");
      }
      names.add(name);
    }
    return names;
  }
}
