package io.sandboxspi.fake.cloudflare;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** What is asked of one container. */
final class Routes {
  static final List<String> PATHS =
      List.of(
          "/exec",
          "/file/{path}",
          "/running",
          "/pty",
          "/session",
          "/session/{sid}",
          "/persist",
          "/hydrate",
          "/mount",
          "/unmount",
          "/tunnel/{port}");

  private static final String INVALID = "invalid_request";

  private final Container container;
  private final FileCalls files;
  private final Tunnels tunnels = new Tunnels();

  Routes(Container container) {
    this.container = container;
    this.files = new FileCalls(container);
  }

  private static void error(Exchange exchange, int status, String code, String message) {
    CloudflareFake.error(exchange, status, code, message);
  }

  private static ObjectNode ok() {
    return CloudflareFake.object().put("ok", true);
  }

  void answer(Exchange exchange, String path) throws IOException {
    String request = exchange.method() + " " + path;
    if (path.startsWith("/file/")) {
      files.file(exchange, path.substring("/file/".length()));
    } else if (path.startsWith("/tunnel/")) {
      tunnels.answer(exchange, path.substring("/tunnel/".length()));
    } else if (request.startsWith("DELETE /session/")) {
      deleteSession(exchange, path.substring("/session/".length()));
    } else {
      switch (request) {
        case "GET /running" ->
            exchange.answer(200, CloudflareFake.object().put("running", !container.destroyed()));
        case "POST /exec" -> exec(exchange);
        case "POST /session" -> makeSession(exchange);
        case "GET /pty" -> pty(exchange);
        case "POST /persist" -> files.persist(exchange);
        case "POST /hydrate" -> files.hydrate(exchange);
        case "POST /mount" -> mount(exchange);
        case "POST /unmount" -> {
          boolean named = exchange.json().path("mountPath").isTextual();
          if (named) {
            error(exchange, 502, "unmount_error", "unmount failed: no such mount");
          } else {
            error(exchange, 400, INVALID, "mountPath is required");
          }
        }
        default -> exchange.answer(404, "text/plain", "Not Found".getBytes(StandardCharsets.UTF_8));
      }
    }
  }

  private static void mount(Exchange exchange) throws IOException {
    ObjectNode body = exchange.json();
    boolean source = body.path("bucket").isTextual() || body.path("binding").isTextual();
    if (source && body.path("mountPath").isTextual()) {
      exchange.answer(200, ok());
    } else {
      error(exchange, 400, INVALID, "bucket or binding, and mountPath are required");
    }
  }

  private static Optional<String> sessionName(Exchange exchange) {
    Optional<String> header = exchange.header("Session-Id");
    return header.isPresent() ? header : exchange.query("session");
  }

  private static boolean valid(String name) {
    return name.matches("[A-Za-z0-9._-]{1,128}") && !name.contains("..");
  }

  private void exec(Exchange exchange) throws IOException {
    JsonNode body = exchange.json();
    List<String> argv = new ArrayList<>();
    body.path("argv").forEach(item -> argv.add(item.asText()));
    Optional<String> name = exchange.header("Session-Id");
    if (argv.isEmpty()) {
      error(exchange, 400, INVALID, "argv must be a non-empty array");
    } else if (name.isPresent() && !valid(name.get())) {
      error(exchange, 400, INVALID, "Invalid session ID format");
    } else {
      Optional<BridgeSession> session = name.map(container::sessionOrNew);
      String otherwise =
          session.map(BridgeSession::directory).orElse(container.workspace().toString());
      Optional<Path> directory =
          Paths.within(container.workspace(), body.path("cwd").asText(otherwise));
      if (directory.isEmpty()) {
        error(exchange, 403, INVALID, "cwd must resolve to a location within /workspace");
        return;
      }
      new ExecCall(exchange, container, session)
          .start(argv, directory.get().toString(), body.path("timeout_ms").asLong(0));
    }
  }

  private void makeSession(Exchange exchange) throws IOException {
    ObjectNode body = exchange.json();
    String name = body.path("id").asText("session-" + System.currentTimeMillis());
    Map<String, String> environment = new HashMap<>();
    body.path("env").properties().forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
    if (!valid(name)) {
      error(exchange, 400, INVALID, "Invalid session ID format");
    } else if (container.make(
        name, body.path("cwd").asText(container.workspace().toString()), environment)) {
      exchange.answer(200, CloudflareFake.object().put("id", name));
    } else {
      error(
          exchange,
          502,
          "session_error",
          "session create failed: Session '" + name + "' already exists");
    }
  }

  private void deleteSession(Exchange exchange, String name) throws IOException {
    Optional<BridgeSession> session = container.session(name);
    if (session.isEmpty()) {
      error(
          exchange,
          502,
          "session_error",
          "session delete failed: Session '" + name + "' not found");
      return;
    }
    try {
      session.get().delete();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    exchange.answer(
        200,
        CloudflareFake.object()
            .put("success", true)
            .put("sessionId", name)
            .put("timestamp", Instant.now().toString()));
  }

  private void pty(Exchange exchange) {
    Optional<String> name = sessionName(exchange);
    int columns = size(exchange, "cols", 80);
    int rows = size(exchange, "rows", 24);
    if (!exchange.wantsSocket()) {
      error(exchange, 400, INVALID, "WebSocket upgrade required");
    } else if (columns <= 0 || rows <= 0) {
      error(exchange, 400, INVALID, "cols and rows must be positive integers");
    } else if (name.isPresent() && !valid(name.get())) {
      error(exchange, 400, INVALID, "Invalid session ID format");
    } else {
      BridgeSession session = name.map(container::sessionOrNew).orElse(container.common());
      exchange.upgrade(
          new PtyClient(
              container,
              session,
              exchange.query("shell").orElse(""),
              columns,
              rows,
              exchange.fault()),
          Optional.empty());
    }
  }

  private static int size(Exchange exchange, String name, int otherwise) {
    String text = exchange.query(name).orElse("");
    return text.isEmpty() ? otherwise : text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
  }
}
