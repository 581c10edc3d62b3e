package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Fault;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryStream;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.stream.Stream;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.http.MultiPartFormData;
import org.eclipse.jetty.io.Content;

/** Files, by their paths on this machine. */
final class FileCalls {
  private static final String BOUNDARY = "DAYTONA-FILE-BOUNDARY";

  private final FakeSandbox sandbox;

  FileCalls(FakeSandbox sandbox) {
    this.sandbox = sandbox;
  }

  private Path path(String text) {
    return sandbox.home().resolve(text.strip());
  }

  private Path path(Exchange exchange, String name) {
    return path(exchange.query(name).orElse(""));
  }

  void answer(Exchange exchange, String action) throws IOException {
    try {
      switch (exchange.method() + " " + action) {
        case "GET " -> list(exchange);
        case "GET /info" -> exchange.answer(200, describe(path(exchange, "path")));
        case "GET /download" -> download(exchange);
        case "DELETE " -> delete(exchange);
        case "POST /bulk-upload" -> upload(exchange);
        case "POST /bulk-download" -> bulkDownload(exchange);
        case "POST /folder" -> {
          Files.createDirectories(path(exchange, "path"));
          exchange.answer(201);
        }
        case "POST /move" -> {
          Files.move(path(exchange, "source"), path(exchange, "destination"));
          exchange.answer(200);
        }
        case "POST /permissions" -> exchange.answer(200);
        default -> Daemon.refuse(exchange, 404, "NOT_FOUND", "no such action");
      }
    } catch (NoSuchFileException e) {
      // No word about what is missing.
      exchange.answer(404);
    } catch (FileAlreadyExistsException e) {
      exchange.answer(409);
    } catch (java.nio.file.AccessDeniedException e) {
      exchange.answer(403);
    }
  }

  private void list(Exchange exchange) throws IOException {
    ArrayNode all = Exchange.JSON.createArrayNode();
    try (DirectoryStream<Path> entries = Files.newDirectoryStream(path(exchange, "path"))) {
      for (Path entry : entries) {
        all.add(describe(entry));
      }
    }
    exchange.answer(200, all);
  }

  private static ObjectNode describe(Path path) throws IOException {
    PosixFileAttributes facts =
        Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    String mode = PosixFilePermissions.toString(facts.permissions());
    return FakeSandbox.object()
        .put("name", path.getFileName().toString())
        .put("size", facts.size())
        .put("isDir", facts.isDirectory())
        .put("mode", (facts.isDirectory() ? "d" : "-") + mode)
        .put("permissions", mode)
        .put("modTime", facts.lastModifiedTime().toString())
        .put("owner", facts.owner().getName())
        .put("group", facts.group().getName());
  }

  private void download(Exchange exchange) throws IOException {
    Path path = path(exchange, "path");
    if (Files.isDirectory(path)) {
      exchange.answer(400);
      return;
    }
    if (!Files.exists(path)) {
      throw new NoSuchFileException(path.toString());
    }
    exchange.stream(200, "application/octet-stream", path);
  }

  private void delete(Exchange exchange) throws IOException {
    Path path = path(exchange, "path");
    boolean tree = exchange.query("recursive").orElse("").equals("true");
    if (Files.isDirectory(path) && !tree) {
      Daemon.refuse(exchange, 400, "BAD_REQUEST", "cannot delete directory without recursive flag");
      return;
    }
    if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) {
      throw new NoSuchFileException(path.toString());
    }
    try (Stream<Path> all = Files.walk(path)) {
      for (Path each : all.sorted(Comparator.reverseOrder()).toList()) {
        Files.delete(each);
      }
    }
    exchange.answer(204);
  }

  /** In place; a part that is named before its file. */
  private void upload(Exchange exchange) throws IOException {
    ObjectNode answer = FakeSandbox.object();
    ArrayNode files = answer.putArray("files");
    ArrayNode errors = answer.putArray("errors");
    Path place = Files.createTempDirectory("sandbox-fake-upload");
    try (MultiPartFormData.Parts parts = exchange.parts(place)) {
      for (int i = 0; parts.getFirst("files[" + i + "].path") != null; i++) {
        MultiPart.Part name = parts.getFirst("files[" + i + "].path");
        MultiPart.Part content = parts.getFirst("files[" + i + "].file");
        String text = name.getContentAsString(StandardCharsets.UTF_8).strip();
        Path target = path(text);
        if (content == null) {
          errors.add("missing file for " + text);
          continue;
        }
        try {
          Files.createDirectories(target.getParent());
          long bytes =
              Files.copy(
                  Content.Source.asInputStream(content.newContentSource(null, 0, -1)),
                  target,
                  java.nio.file.StandardCopyOption.REPLACE_EXISTING);
          files.addObject().put("path", text).put("bytes", bytes);
        } catch (IOException e) {
          errors.add(text + ": " + e.getMessage());
        }
      }
    } finally {
      try (Stream<Path> all = Files.walk(place)) {
        all.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
      }
    }
    if (errors.isEmpty()) {
      answer.remove("errors");
      exchange.answer(files.isEmpty() ? 400 : 200, answer);
    } else {
      exchange.answer(400, answer);
    }
  }

  private void bulkDownload(Exchange exchange) throws IOException {
    ByteArrayOutputStream body = new ByteArrayOutputStream();
    for (JsonNode each : exchange.json().path("paths")) {
      Path path = path(each.asText());
      boolean found = Files.isRegularFile(path);
      text(
          body,
          "--"
              + BOUNDARY
              + "\r\nContent-Disposition: form-data; name=\""
              + (found ? "file" : "error")
              + "\"; filename*=UTF-8''"
              + URLEncoder.encode(each.asText(), StandardCharsets.UTF_8).replace("+", "%20")
              + "\r\nContent-Type: "
              + (found ? "application/octet-stream" : "text/plain")
              + "\r\n\r\n");
      body.writeBytes(
          found ? Files.readAllBytes(path) : "file not found".getBytes(StandardCharsets.UTF_8));
      text(body, "\r\n");
    }
    if (!(exchange.fault().orElse(null) instanceof Fault.SpoilStream)) {
      text(body, "--" + BOUNDARY + "--\r\n");
    }
    exchange.answer(200, "multipart/form-data; boundary=" + BOUNDARY, body.toByteArray());
  }

  private static void text(ByteArrayOutputStream out, String text) {
    out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
