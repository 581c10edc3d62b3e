package io.sandboxspi.core.manifest;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.DeserializationFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.json.JsonMapper;
import io.sandboxspi.Manifest;
import io.sandboxspi.ManifestEntry;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SecretResolver;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.TreeSet;

/**
 * The JSON form of a manifest, as {@link #schema()} tells. Unknown keys and types are errors that
 * list the known ones (spec S-MAN-04). Stateless.
 */
public final class ManifestJson {
  private static final ObjectMapper JSON =
      JsonMapper.builder()
          .enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION)
          .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
          .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
          .build();

  private ManifestJson() {}

  /** The JSON Schema (draft 2020-12) of the form. */
  public static String schema() {
    try (InputStream in =
        Objects.requireNonNull(
            ManifestJson.class.getResourceAsStream("manifest.schema.json"), "schema")) {
      return new String(in.readAllBytes(), StandardCharsets.UTF_8);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  /**
   * Reads a manifest.
   *
   * @param base what sources are relative to; never from the JSON
   * @param secrets resolvers by the names that the JSON uses for them
   * @throws SandboxException {@code INVALID_ARGUMENT} naming the place, the value and what is
   *     allowed
   */
  public static Manifest read(
      String json, Optional<Path> base, Map<String, SecretResolver> secrets) {
    JsonNode top;
    try {
      top = JSON.readTree(json);
    } catch (JsonProcessingException e) {
      throw SandboxException.invalid(
          "manifest", "no JSON: " + e.getOriginalMessage(), "a JSON object");
    }
    object("manifest", top);
    keys("manifest", top, "version", "entries", "environment", "users");
    if (!top.path("version").isInt() || top.path("version").intValue() != 1) {
      throw SandboxException.invalid("version", top.path("version"), "1");
    }
    Manifest.Builder manifest = Manifest.builder();
    base.ifPresent(manifest::base);
    each("entries", top).forEach(e -> manifest.entry(e.getKey(), entry(e.getKey(), e.getValue())));
    each("environment", top).forEach(e -> variable(manifest, e.getKey(), e.getValue(), secrets));
    users(top).forEach(manifest::user);
    return manifest.build();
  }

  private static List<String> users(JsonNode top) {
    if (!top.has("users")) {
      return List.of();
    }
    if (!top.path("users").isArray()) {
      throw SandboxException.invalid("users", top.path("users").getNodeType(), "an array");
    }
    List<String> names = new ArrayList<>();
    top.path("users").forEach(user -> names.add(text("user", user)));
    return names;
  }

  private static Iterable<Map.Entry<String, JsonNode>> each(String key, JsonNode top) {
    if (!top.has(key)) {
      return List.of();
    }
    object(key, top.path(key));
    return top.path(key).properties();
  }

  private static ManifestEntry entry(String path, JsonNode node) {
    String where = "entry \"" + path + '"';
    object(where, node);
    String type = text(where + " type", node.path("type"));
    ManifestEntry entry =
        switch (type) {
          case "file" -> file(where, node);
          case "directory" -> {
            keys(where, node, "type", "permissions", "ephemeral");
            yield new ManifestEntry.Directory(permissions(where, node, "0755"), false);
          }
          case "local-file" -> {
            keys(where, node, "type", "source", "ephemeral");
            yield ManifestEntry.localFile(text(where + " source", node.path("source")));
          }
          case "local-directory" -> {
            keys(where, node, "type", "source", "ephemeral");
            yield ManifestEntry.localDirectory(text(where + " source", node.path("source")));
          }
          default ->
              throw SandboxException.invalid(
                  where + " type",
                  '"' + type + '"',
                  "file, directory, local-file, local-directory");
        };
    JsonNode ephemeral = node.path("ephemeral");
    if (!ephemeral.isMissingNode() && !ephemeral.isBoolean()) {
      throw SandboxException.invalid(where + " ephemeral", ephemeral, "true or false");
    }
    return ephemeral.asBoolean() ? entry.asEphemeral() : entry;
  }

  private static ManifestEntry file(String where, JsonNode node) {
    keys(where, node, "type", "text", "base64", "permissions", "ephemeral");
    if (node.has("text") == node.has("base64")) {
      throw SandboxException.invalid(where, "with none or both", "either text or base64");
    }
    byte[] content;
    if (node.has("text")) {
      content = text(where + " text", node.path("text")).getBytes(StandardCharsets.UTF_8);
    } else {
      try {
        content = Base64.getDecoder().decode(text(where + " base64", node.path("base64")));
      } catch (IllegalArgumentException e) {
        throw SandboxException.invalid(where + " base64", "not base64", "base64 with padding");
      }
    }
    return new ManifestEntry.InlineFile(content, permissions(where, node, "0644"), false);
  }

  private static String permissions(String where, JsonNode node, String otherwise) {
    return node.has("permissions")
        ? text(where + " permissions", node.path("permissions"))
        : otherwise;
  }

  /** Values are never named in an error: they may be secrets. */
  private static void variable(
      Manifest.Builder manifest, String name, JsonNode node, Map<String, SecretResolver> secrets) {
    String where = "environment \"" + name + '"';
    if (node.isTextual()) {
      Object unused = manifest.env(name, node.textValue());
      return;
    }
    if (!node.isObject()) {
      throw SandboxException.invalid(where, "no text and no object", "text or {\"secret\": NAME}");
    }
    keys(where, node, "secret");
    String secret = text(where + " secret", node.path("secret"));
    SecretResolver resolver = secrets.get(secret);
    if (resolver == null) {
      throw SandboxException.invalid(
          where + " secret",
          '"' + secret + '"',
          secrets.isEmpty()
              ? "no secret is known"
              : String.join(", ", new TreeSet<>(secrets.keySet())));
    }
    Object unused = manifest.secretEnv(name, resolver);
  }

  private static void object(String where, JsonNode node) {
    if (!node.isObject()) {
      throw SandboxException.invalid(where, node.getNodeType(), "an object");
    }
  }

  private static String text(String where, JsonNode node) {
    if (!node.isTextual()) {
      throw SandboxException.invalid(
          where, node.isMissingNode() ? "missing" : node.getNodeType(), "a text");
    }
    return node.textValue();
  }

  private static void keys(String where, JsonNode node, String... known) {
    for (Map.Entry<String, JsonNode> each : node.properties()) {
      if (!Arrays.asList(known).contains(each.getKey())) {
        throw SandboxException.invalid(
            "key of " + where, '"' + each.getKey() + '"', String.join(", ", known));
      }
    }
  }
}
