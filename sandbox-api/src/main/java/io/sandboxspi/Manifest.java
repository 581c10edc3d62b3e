package io.sandboxspi;

import java.nio.file.Path;
import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/**
 * What a fresh workspace holds and what its processes see (specs S-MAN-01 to S-MAN-04). Immutable.
 * {@code toString} shows paths and names only.
 */
public final class Manifest {
  private static final Manifest EMPTY = builder().build();

  private final Map<String, ManifestEntry> entries;
  private final Map<String, SecretResolver> environment;
  private final List<String> users;
  private final Optional<Path> base;

  private Manifest(Builder builder) {
    this.entries = Collections.unmodifiableMap(new TreeMap<>(builder.entries));
    this.environment = Collections.unmodifiableMap(new LinkedHashMap<>(builder.environment));
    this.users = List.copyOf(builder.users);
    this.base = builder.base;
    boolean local =
        entries.values().stream()
            .anyMatch(
                entry ->
                    entry instanceof ManifestEntry.LocalFile
                        || entry instanceof ManifestEntry.LocalDirectory);
    if (local && base.isEmpty()) {
      throw SandboxException.invalid(
          "base", "missing", "an absolute directory, as there are local entries");
    }
    checkNesting();
  }

  private void checkNesting() {
    entries.keySet().forEach(this::checkParents);
  }

  private void checkParents(String path) {
    for (int at = path.lastIndexOf('/'); at > 0; at = path.lastIndexOf('/', at - 1)) {
      ManifestEntry above = entries.get(path.substring(0, at));
      if (above instanceof ManifestEntry.InlineFile || above instanceof ManifestEntry.LocalFile) {
        throw SandboxException.invalid(
            "entry", '"' + path + '"', "a path that is not below a file of the manifest");
      }
    }
  }

  /** Nothing. */
  public static Manifest empty() {
    return EMPTY;
  }

  /** Starts one. */
  public static Builder builder() {
    return new Builder();
  }

  /** Entries by their path relative to the workspace, by name. */
  public Map<String, ManifestEntry> entries() {
    return entries;
  }

  /** How the values of variables are found. */
  public Map<String, SecretResolver> environment() {
    return environment;
  }

  /** Accounts that the sandbox has, in their order. */
  public List<String> users() {
    return users;
  }

  /** The directory that sources are relative to. */
  public Optional<Path> base() {
    return base;
  }

  /** Paths of ephemeral entries, by name: what a snapshot leaves out. */
  public List<String> ephemeralPaths() {
    return entries.entrySet().stream()
        .filter(entry -> entry.getValue().ephemeral())
        .map(Map.Entry::getKey)
        .toList();
  }

  @Override
  public String toString() {
    return "Manifest[entries=" + entries.keySet() + ", environment=" + environment.keySet() + "]";
  }

  static void checkPath(String field, String path) {
    Checks.noNul(field, path);
    boolean normal = !path.isEmpty() && path.indexOf('\\') < 0 && !path.matches("[A-Za-z]:.*");
    for (String part : path.split("/", -1)) {
      normal = normal && !part.isEmpty() && !part.equals(".") && !part.equals("..");
    }
    if (!normal) {
      throw SandboxException.invalid(
          field, '"' + path + '"', "a relative POSIX path without empty, . and .. parts");
    }
  }

  /** Builder; not thread-safe. */
  public static final class Builder {
    private final Map<String, ManifestEntry> entries = new LinkedHashMap<>();
    private final Map<String, SecretResolver> environment = new LinkedHashMap<>();
    private final Set<String> users = new LinkedHashSet<>();
    private Optional<Path> base = Optional.empty();

    private Builder() {}

    /**
     * Adds an entry.
     *
     * @param path relative, without empty, {@code .} and {@code ..} parts; not given before
     */
    public Builder entry(String path, ManifestEntry entry) {
      checkPath("entry", path);
      if (entries.putIfAbsent(path, entry) != null) {
        throw SandboxException.invalid("entry", '"' + path + '"', "each path once");
      }
      return this;
    }

    /** Adds a variable for every process. */
    public Builder env(String name, String value) {
      Object unused = Checks.environment(Map.of(name, value));
      environment.put(name, any -> value);
      return this;
    }

    /** Adds a variable for every process whose value is found when a session is opened. */
    public Builder secretEnv(String name, SecretResolver resolver) {
      Object unused = Checks.environment(Map.of(name, ""));
      environment.put(name, resolver);
      return this;
    }

    /**
     * Adds an account that the sandbox has before anything is put into the workspace; one that
     * exists is left as it is (spec S-USER-03). It has a group of its own, no home and no password.
     *
     * @param name needs {@link Capability#USERS}
     */
    public Builder user(String name) {
      users.add(Checks.user(name));
      return this;
    }

    /** Sets the directory that sources of local entries are relative to; it is trusted. */
    public Builder base(Path directory) {
      if (!directory.isAbsolute()) {
        throw SandboxException.invalid(
            "base", '"' + directory.toString() + '"', "an absolute directory");
      }
      this.base = Optional.of(directory);
      return this;
    }

    /**
     * Makes the manifest.
     *
     * @throws SandboxException {@link ErrorCode#INVALID_ARGUMENT} naming the field
     */
    public Manifest build() {
      return new Manifest(this);
    }
  }
}
