package io.sandboxspi.fake.e2b;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;

/** Files of one sandbox. Relative paths begin at the home directory. */
final class DaemonFiles {
  private final Path home;

  DaemonFiles(Path home) {
    this.home = home;
  }

  Path resolve(String path) {
    String plain = path.startsWith("~") ? path.substring(1).replaceFirst("^/", "") : path;
    return home.resolve(plain);
  }

  void answer(Exchange exchange) throws IOException {
    String path = exchange.path();
    if (path.equals("/files")) {
      if (exchange.method().equals("GET")) {
        read(exchange);
      } else {
        write(exchange);
      }
      return;
    }
    ObjectNode request = exchange.json();
    Path file = resolve(request.path("path").asText(request.path("source").asText("")));
    ObjectNode answer = Exchange.JSON.createObjectNode();
    switch (path.substring("/filesystem.Filesystem/".length())) {
      case "Stat" -> {
        if (!Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
          Connect.refuse(exchange, "not_found", "file not found");
          return;
        }
        answer.set("entry", entry(file));
      }
      case "ListDir" -> {
        if (!Files.isDirectory(file)) {
          String code = Files.exists(file) ? "invalid_argument" : "not_found";
          Connect.refuse(exchange, code, "not a directory");
          return;
        }
        ArrayNode entries = Exchange.JSON.createArrayNode();
        try (Stream<Path> all = Files.list(file)) {
          for (Path each : all.sorted().toList()) {
            entries.add(entry(each));
          }
        }
        if (!entries.isEmpty()) {
          answer.set("entries", entries);
        }
      }
      case "MakeDir" -> {
        if (Files.exists(file)) {
          boolean directory = Files.isDirectory(file);
          Connect.refuse(exchange, directory ? "already_exists" : "invalid_argument", "it exists");
          return;
        }
        Files.createDirectories(file);
        answer.set("entry", entry(file));
      }
      case "Move" -> {
        Path to = resolve(request.path("destination").asText());
        if (!Files.exists(file)) {
          Connect.refuse(exchange, "not_found", "file not found");
          return;
        }
        Files.createDirectories(to.getParent());
        Files.move(file, to, StandardCopyOption.REPLACE_EXISTING);
        answer.set("entry", entry(to));
      }
      case "Remove" -> remove(file);
      default -> {
        Connect.refuse(exchange, "unimplemented", "no such method");
        return;
      }
    }
    exchange.answer(200, answer);
  }

  private static void remove(Path file) throws IOException {
    if (Files.exists(file, LinkOption.NOFOLLOW_LINKS)) {
      try (Stream<Path> all = Files.walk(file)) {
        for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
          Files.delete(each);
        }
      }
    }
  }

  private static ObjectNode entry(Path file) throws IOException {
    boolean link = Files.isSymbolicLink(file);
    String type =
        Files.isDirectory(file)
            ? "FILE_TYPE_DIRECTORY"
            : link && !Files.exists(file) ? "FILE_TYPE_SYMLINK" : "FILE_TYPE_FILE";
    Set<PosixFilePermission> permissions =
        Files.getPosixFilePermissions(file, LinkOption.NOFOLLOW_LINKS);
    ObjectNode node =
        Exchange.JSON
            .createObjectNode()
            .put("name", String.valueOf(file.getFileName()))
            .put("type", type)
            .put("path", file.toString())
            .put(
                "size",
                String.valueOf(
                    Files.readAttributes(
                            file,
                            java.nio.file.attribute.BasicFileAttributes.class,
                            LinkOption.NOFOLLOW_LINKS)
                        .size()))
            .put("permissions", "-" + PosixFilePermissions.toString(permissions))
            .put("owner", "user")
            .put("group", "user")
            .put(
                "modifiedTime",
                Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS).toString());
    if (link) {
      node.put("symlinkTarget", Files.readSymbolicLink(file).toString());
    }
    return node;
  }

  private void read(Exchange exchange) throws IOException {
    Path file = resolve(exchange.query("path").orElse(""));
    if (!Files.exists(file)) {
      ControlPlane.error(exchange, 404, "path '" + file + "' does not exist");
    } else if (Files.isDirectory(file)) {
      ControlPlane.error(exchange, 400, "path '" + file + "' is a directory");
    } else {
      exchange.stream(200, "application/octet-stream", file);
    }
  }

  private void write(Exchange exchange) throws IOException {
    Optional<String> path = exchange.query("path");
    String type = exchange.header("Content-Type").orElse("");
    ArrayNode answer = Exchange.JSON.createArrayNode();
    if (type.startsWith("multipart/form-data")) {
      for (Multipart.Part part : Multipart.read(type, exchange.body().readAllBytes())) {
        if (part.name().equals("file")) {
          Path file = resolve(path.orElse(part.fileName()));
          if (!store(exchange, file, new java.io.ByteArrayInputStream(part.content()))) {
            return;
          }
          describe(answer, file);
        }
      }
    } else if (type.equals("application/octet-stream") && path.isPresent()) {
      Path file = resolve(path.get());
      if (!store(exchange, file, exchange.body())) {
        return;
      }
      describe(answer, file);
    } else {
      ControlPlane.error(exchange, 400, "no path");
      return;
    }
    exchange.answer(200, answer);
  }

  private static void describe(ArrayNode answer, Path file) {
    answer
        .addObject()
        .put("name", String.valueOf(file.getFileName()))
        .put("path", file.toString())
        .put("type", "file");
  }

  private static boolean store(Exchange exchange, Path file, InputStream content)
      throws IOException {
    if (Files.isDirectory(file)) {
      ControlPlane.error(exchange, 400, "path '" + file + "' is a directory");
      return false;
    }
    try {
      Files.createDirectories(file.getParent());
      try (var out = Files.newOutputStream(file)) {
        long unused = content.transferTo(out);
      }
      return true;
    } catch (NoSuchFileException e) {
      ControlPlane.error(exchange, 500, "it cannot be written");
      return false;
    } catch (IOException full) {
      byte[] words = String.valueOf(full.getMessage()).getBytes(StandardCharsets.UTF_8);
      ControlPlane.error(exchange, words.length > 0 ? 507 : 500, "not enough disk space");
      return false;
    }
  }
}
