package io.sandboxspi.remote.modal;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.dataformat.toml.TomlMapper;
import io.sandboxspi.SandboxException;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.function.UnaryOperator;

/** One table of {@code ~/.modal.toml}, by the names of the variables that its keys stand for. */
final class Profile {
  private static final String PATH = "MODAL_CONFIG_PATH";
  private static final String NAME = "MODAL_PROFILE";
  private static final String PREFIX = "MODAL_";

  private final Map<String, String> values;

  private Profile(Map<String, String> values) {
    this.values = values;
  }

  /** The value of a variable; empty when the profile has none. */
  String value(String variable) {
    return values.getOrDefault(variable, "");
  }

  /** The profile that a variable names, or that is active, or the one named default. */
  static Profile read(UnaryOperator<String> variables) {
    String given = variables.apply(PATH);
    Path file =
        given.isEmpty()
            ? Path.of(System.getProperty("user.home", "/")).resolve(".modal.toml")
            : Path.of(given);
    JsonNode tables = parse(file);
    Optional<String> name =
        Optional.of(variables.apply(NAME)).filter(n -> !n.isEmpty()).or(() -> active(tables, file));
    String chosen = name.orElse("default");
    if (!tables.has(chosen) && !variables.apply(NAME).isEmpty()) {
      throw SandboxException.invalid(NAME, '"' + chosen + '"', "a table of " + file);
    }
    Map<String, String> values = new HashMap<>();
    for (Map.Entry<String, JsonNode> entry : tables.path(chosen).properties()) {
      if (entry.getValue().isValueNode()) {
        values.put(PREFIX + entry.getKey().toUpperCase(Locale.ROOT), entry.getValue().asText());
      }
    }
    return new Profile(values);
  }

  private static JsonNode parse(Path file) {
    TomlMapper mapper = new TomlMapper();
    if (!Files.exists(file)) {
      return mapper.createObjectNode();
    }
    try {
      return mapper.readTree(Files.readAllBytes(file));
    } catch (IOException e) {
      // Not the cause: it quotes lines, which may hold the secret.
      throw SandboxException.invalid(PATH, file, "a readable file in TOML form");
    }
  }

  private static Optional<String> active(JsonNode tables, Path file) {
    Optional<String> found = Optional.empty();
    for (Map.Entry<String, JsonNode> table : tables.properties()) {
      if (table.getValue().path("active").asBoolean(false)) {
        if (found.isPresent()) {
          throw SandboxException.invalid(
              PATH, file, "one active profile; both " + found.get() + " and " + table.getKey());
        }
        found = Optional.of(table.getKey());
      }
    }
    return found;
  }
}
