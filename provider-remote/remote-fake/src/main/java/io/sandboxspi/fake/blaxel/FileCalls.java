package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Comparator;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.http.MultiPartFormData;
import org.eclipse.jetty.io.Content;

/** Calls for files. Paths are relative to the agent's directory unless they begin with a slash. */
final class FileCalls {
  private final FakeSandbox sandbox;

  FileCalls(FakeSandbox sandbox) {
    this.sandbox = sandbox;
  }

  void answer(Exchange exchange, String path) throws IOException {
    if (path.startsWith("tree")) {
      Agent.refuse(exchange, 404, "no tree");
      return;
    }
    Path target = path(sandbox, path);
    switch (exchange.method()) {
      case "GET" -> read(exchange, target);
      case "PUT" -> write(exchange, target);
      case "DELETE" -> delete(exchange, target);
      default -> Agent.refuse(exchange, 405, "method not allowed");
    }
  }

  /** An encoded path below the agent's directory, or an absolute one. */
  static Path path(FakeSandbox sandbox, String encoded) {
    String text =
        new String(
            java.net.URLDecoder.decode(encoded.replace("+", "%2B"), StandardCharsets.UTF_8)
                .getBytes(StandardCharsets.UTF_8),
            StandardCharsets.UTF_8);
    if (text.startsWith("~")) {
      return Path.of(sandbox.home() + text.substring(1));
    }
    return sandbox.home().resolve(text).normalize();
  }

  private static void missing(Exchange exchange, Path target) {
    Agent.refuse(exchange, 404, "stat " + target + ": no such file or directory");
  }

  private void read(Exchange exchange, Path target) throws IOException {
    if (!Files.exists(target)) {
      missing(exchange, target);
    } else if (Files.isDirectory(target)) {
      exchange.answer(200, directory(target));
    } else if (exchange.header("Accept").orElse("").contains("application/octet-stream")
        || exchange.query("download").isPresent()) {
      exchange.stream(200, "application/octet-stream", target);
    } else {
      exchange.answer(200, describe(target).put("content", GoText.of(Files.readAllBytes(target))));
    }
  }

  private static ObjectNode describe(Path path) throws IOException {
    return BlaxelFake.object()
        .put("path", path.toString())
        .put("name", path.getFileName().toString())
        .put("permissions", "644")
        .put("size", Files.size(path))
        .put("lastModified", Files.getLastModifiedTime(path).toString())
        .put("owner", "root")
        .put("group", "root");
  }

  private static ObjectNode directory(Path path) throws IOException {
    ObjectNode node =
        BlaxelFake.object().put("path", path.toString()).put("name", "" + path.getFileName());
    ArrayNode files = node.putArray("files");
    ArrayNode directories = node.putArray("subdirectories");
    List<Path> entries;
    try (Stream<Path> all = Files.list(path)) {
      entries = all.sorted().toList();
    }
    for (Path each : entries) {
      if (Files.isDirectory(each, LinkOption.NOFOLLOW_LINKS)) {
        directories
            .addObject()
            .put("path", each.toString())
            .put("name", each.getFileName().toString());
      } else if (Files.exists(each)) {
        files.add(describe(each));
      }
    }
    return node;
  }

  private void write(Exchange exchange, Path target) throws IOException {
    if (exchange.header("Content-Type").orElse("").startsWith("multipart/form-data")) {
      form(exchange, target);
      return;
    }
    ObjectNode body = exchange.json();
    JsonNode mode = body.path("permissions");
    if (body.path("isDirectory").asBoolean(false)) {
      Files.createDirectories(target);
    } else {
      place(
          target,
          new java.io.ByteArrayInputStream(
              body.path("content").asText("").getBytes(StandardCharsets.UTF_8)),
          mode.asText("0644"));
    }
    done(exchange, target);
  }

  static void done(Exchange exchange, Path target) {
    exchange.answer(200, BlaxelFake.object().put("path", target.toString()).put("message", "done"));
  }

  /** The mode counts if it comes before the file, and only for a new one. */
  private static void form(Exchange exchange, Path target) throws IOException {
    Path place = Files.createTempDirectory("sandbox-fake-upload");
    try (MultiPartFormData.Parts parts = exchange.parts(place)) {
      MultiPart.Part mode = parts.getFirst("permissions");
      MultiPart.Part file = parts.getFirst("file");
      if (file == null || file.getFileName() == null) {
        Agent.refuse(exchange, 400, "missing 'file' field in multipart form");
        return;
      }
      try (InputStream in = Content.Source.asInputStream(file.newContentSource(null, 0, -1))) {
        place(
            target,
            in,
            mode == null ? "0644" : mode.getContentAsString(StandardCharsets.UTF_8).strip());
      }
      done(exchange, target);
    } finally {
      forget(place);
    }
  }

  static void forget(Path directory) throws IOException {
    try (Stream<Path> all = Files.walk(directory)) {
      all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    }
  }

  static void place(Path target, InputStream content, String mode) throws IOException {
    Files.createDirectories(target.getParent());
    boolean fresh = !Files.exists(target);
    if (fresh) {
      long unused = Files.copy(content, target, StandardCopyOption.REPLACE_EXISTING);
      Files.setPosixFilePermissions(target, permissions(mode));
    } else {
      try (var out = Files.newOutputStream(target)) {
        long unused = content.transferTo(out);
      }
    }
  }

  private static Set<PosixFilePermission> permissions(String mode) {
    int bits = Integer.parseInt(mode, 8);
    Set<PosixFilePermission> permissions = EnumSet.noneOf(PosixFilePermission.class);
    // In the order of the bits, the highest first.
    PosixFilePermission[] all = PosixFilePermission.values();
    for (int i = 0; i < all.length; i++) {
      if ((bits >> (all.length - 1 - i) & 1) != 0) {
        permissions.add(all[i]);
      }
    }
    return permissions;
  }

  private static void delete(Exchange exchange, Path target) throws IOException {
    boolean tree = exchange.query("recursive").orElse("").equals("true");
    if (!Files.exists(target)) {
      missing(exchange, target);
      return;
    }
    if (Files.isDirectory(target) && !tree) {
      try (Stream<Path> entries = Files.list(target)) {
        if (entries.findAny().isPresent()) {
          Agent.refuse(exchange, 422, "remove " + target + ": directory not empty");
          return;
        }
      }
    }
    forget(target);
    done(exchange, target);
  }
}
