package io.sandboxspi.fake.cloudflare;

import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.TimeUnit;

/** Files, and the workspace as an archive. */
final class FileCalls {
  private static final int MOST = 32 << 20;
  private static final Set<String> TEXT =
      Set.of(
          "txt", "md", "json", "xml", "js", "ts", "sh", "sql", "toml", "yaml", "yml", "rtf", "html",
          "css", "csv", "svg", "py", "c", "java");
  private static final Set<String> BINARY = Set.of("bin", "gz", "tar", "png", "zip", "jpg");

  private final Container container;

  FileCalls(Container container) {
    this.container = container;
  }

  private static void error(Exchange exchange, int status, String code, String message) {
    CloudflareFake.error(exchange, status, code, message);
  }

  void file(Exchange exchange, String raw) throws IOException {
    String path = Paths.decode(raw);
    if (path.isEmpty()) {
      error(exchange, 400, "invalid_request", "path is required");
      return;
    }
    Optional<Path> file = Paths.within(container.workspace(), "/" + path);
    if (file.isEmpty()) {
      error(exchange, 403, "invalid_request", "path must resolve to a location within /workspace");
    } else if (exchange.method().equals("PUT")) {
      put(exchange, file.get());
    } else if (exchange.method().equals("GET")) {
      get(exchange, file.get());
    } else {
      exchange.answer(404, "text/plain", "Not Found".getBytes(StandardCharsets.UTF_8));
    }
  }

  private static void put(Exchange exchange, Path file) throws IOException {
    byte[] body;
    try (InputStream in = exchange.body()) {
      body = in.readNBytes(MOST + 1);
      if (body.length > MOST) {
        long unused = in.skip(Long.MAX_VALUE);
        error(exchange, 413, "payload_too_large", "body exceeds 32 MiB");
        return;
      }
    }
    try {
      Files.createDirectories(file.getParent());
      Files.write(file, body);
    } catch (IOException e) {
      error(exchange, 502, "workspace_archive_write_error", "write failed: " + file.getFileName());
      return;
    }
    exchange.answer(200, CloudflareFake.object().put("ok", true));
  }

  /** What is no file is an empty body: the headers are out by then. */
  private static void get(Exchange exchange, Path file) throws IOException {
    if (!Files.isRegularFile(file)) {
      exchange.answer(200, "application/octet-stream", new byte[0]);
    } else if (text(file)) {
      String text = new String(Files.readAllBytes(file), StandardCharsets.UTF_8);
      String plain = text.startsWith("\ufeff") ? text.substring(1) : text;
      exchange.answer(200, "application/octet-stream", plain.getBytes(StandardCharsets.UTF_8));
    } else {
      exchange.stream(200, "application/octet-stream", file);
    }
  }

  private static boolean text(Path file) throws IOException {
    String name = file.getFileName().toString();
    String extension = name.substring(name.lastIndexOf('.') + 1);
    if (TEXT.contains(extension) || BINARY.contains(extension)) {
      return TEXT.contains(extension);
    }
    // Instead of a look by file(1): no zero byte at its beginning.
    try (InputStream in = Files.newInputStream(file)) {
      for (byte each : in.readNBytes(512)) {
        if (each == 0) {
          return false;
        }
      }
    }
    return true;
  }

  void persist(Exchange exchange) throws IOException {
    List<String> command = new ArrayList<>(List.of("tar", "cf", "-"));
    for (String exclude : exchange.query("excludes").orElse("").split(",")) {
      if (exclude.contains("..")) {
        error(exchange, 400, "invalid_request", "excludes must not contain ..");
        return;
      }
      if (!exclude.isEmpty()) {
        command.add("--exclude=./" + exclude);
      }
    }
    command.addAll(List.of("-C", container.workspace().toString(), "."));
    Path archive = Files.createTempFile(container.root(), "persist", ".tar");
    try {
      if (run(command, archive) == 0) {
        exchange.stream(200, "application/x-tar", archive);
      } else {
        error(exchange, 502, "workspace_archive_read_error", "tar failed (exit 2)");
      }
    } finally {
      Files.delete(archive);
    }
  }

  /** Over what is there. */
  void hydrate(Exchange exchange) throws IOException {
    byte[] body;
    try (InputStream in = exchange.body()) {
      body = in.readNBytes(MOST + 1);
      if (body.length > MOST) {
        long unused = in.skip(Long.MAX_VALUE);
      }
    }
    if (body.length == 0 || body.length > MOST) {
      error(exchange, 400, "invalid_request", "archive must be 1 byte to 32 MiB");
      return;
    }
    Path archive = Files.createTempFile(container.root(), "hydrate", ".tar");
    try {
      Files.write(archive, body);
      String path = archive.toString();
      List<String> command = List.of("tar", "xf", path, "-C", container.workspace().toString());
      if (run(command, Path.of("/dev/null")) == 0) {
        exchange.answer(200, CloudflareFake.object().put("ok", true));
      } else {
        error(exchange, 502, "workspace_archive_write_error", "tar failed (exit 2)");
      }
    } finally {
      Files.delete(archive);
    }
  }

  private int run(List<String> command, Path output) throws IOException {
    ProcessBuilder builder = new ProcessBuilder(command);
    builder.environment().putAll(container.environment(java.util.Map.of()));
    builder.redirectError(ProcessBuilder.Redirect.DISCARD);
    builder.redirectOutput(output.toFile());
    Process process = builder.start();
    try {
      return process.waitFor(60, TimeUnit.SECONDS) ? process.exitValue() : 1;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
  }
}
