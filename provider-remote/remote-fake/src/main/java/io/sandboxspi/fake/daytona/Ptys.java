package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Terminals. */
final class Ptys {
  private static final int MOST_CELLS = 1000;
  private static final String EXIT_CONTROL = "X-Daytona-Pty-Exit-Control";
  private static final String ENVS = "X-Daytona-Pty-Envs~";

  private final FakeSandbox sandbox;
  private final Map<String, Pty> open = new ConcurrentHashMap<>();

  Ptys(FakeSandbox sandbox) {
    this.sandbox = sandbox;
  }

  void answer(Exchange exchange, String path) throws IOException {
    if (path.isEmpty()) {
      if (exchange.method().equals("POST")) {
        create(exchange);
      } else {
        ObjectNode answer = FakeSandbox.object();
        ArrayNode all = answer.putArray("sessions");
        open.values().forEach(pty -> all.add(pty.describe()));
        exchange.answer(200, answer);
      }
      return;
    }
    if (path.equals("/create-connect")) {
      createAndConnect(exchange);
      return;
    }
    String[] parts = path.substring(1).split("/");
    Optional<Pty> pty = Optional.ofNullable(open.get(parts[0]));
    String action = exchange.method() + (parts.length > 1 ? " " + parts[1] : "");
    switch (action) {
      case "GET connect" -> {
        boolean exits = exchange.protocols().contains(EXIT_CONTROL);
        PtyClient client = new PtyClient(parts[0], pty, exits, exchange.fault());
        exchange.upgrade(client, exits ? Optional.of(EXIT_CONTROL) : Optional.empty());
      }
      case "GET" -> {
        if (pty.isPresent()) {
          exchange.answer(200, pty.get().describe());
        } else {
          error(exchange, 404, "PTY session not found");
        }
      }
      case "POST resize" -> resize(exchange, pty);
      case "DELETE" -> {
        if (pty.isPresent()) {
          open.remove(parts[0]);
          pty.get().kill();
          exchange.answer(200, FakeSandbox.object().put("message", "PTY session deleted"));
        } else {
          error(exchange, 404, "PTY session not found");
        }
      }
      default -> error(exchange, 404, "no such action");
    }
  }

  private static void error(Exchange exchange, int status, String message) {
    exchange.answer(status, FakeSandbox.object().put("error", message));
  }

  private void create(Exchange exchange) throws IOException {
    ObjectNode body = exchange.json();
    Map<String, String> environment = new HashMap<>();
    body.path("envs").properties().forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
    String id = body.path("id").asText("");
    int columns = body.path("cols").asInt(80);
    int rows = body.path("rows").asInt(24);
    if (id.isEmpty() || columns > MOST_CELLS || rows > MOST_CELLS) {
      error(exchange, 400, id.isEmpty() ? "id is required" : "cols and rows must be below 1000");
      return;
    }
    Pty pty = new Pty(sandbox, this, id, body.path("cwd").asText(""), environment, columns, rows);
    if (open.putIfAbsent(id, pty) != null) {
      error(exchange, 409, "PTY session with ID " + id + " already exists");
      return;
    }
    if (!body.path("lazyStart").asBoolean(false)) {
      pty.start();
    }
    exchange.answer(201, FakeSandbox.object().put("sessionId", id));
  }

  private void createAndConnect(Exchange exchange) throws IOException {
    String id = exchange.query("id").orElse("");
    List<String> offered = exchange.protocols();
    Map<String, String> environment = new HashMap<>();
    for (String protocol : offered) {
      if (protocol.startsWith(ENVS)) {
        JsonNode envs =
            Exchange.JSON.readTree(
                Base64.getUrlDecoder().decode(protocol.substring(ENVS.length())));
        envs.properties().forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
      }
    }
    Pty pty =
        new Pty(
            sandbox,
            this,
            id,
            exchange.query("cwd").orElse(""),
            environment,
            Integer.parseInt(exchange.query("cols").orElse("80")),
            Integer.parseInt(exchange.query("rows").orElse("24")));
    if (id.isEmpty() || open.putIfAbsent(id, pty) != null) {
      error(exchange, id.isEmpty() ? 400 : 409, "PTY session with ID " + id + " already exists");
      return;
    }
    boolean exits = offered.contains(EXIT_CONTROL);
    exchange.upgrade(
        new PtyClient(id, Optional.of(pty), exits, exchange.fault()), offered.stream().findFirst());
  }

  private static void resize(Exchange exchange, Optional<Pty> pty) throws IOException {
    ObjectNode body = exchange.json();
    int columns = body.path("cols").asInt();
    int rows = body.path("rows").asInt();
    if (columns > MOST_CELLS || rows > MOST_CELLS) {
      error(exchange, 400, "cols and rows must be below 1000");
    } else if (pty.isEmpty()) {
      error(exchange, 410, "PTY session not found");
    } else {
      pty.get().resize(columns, rows);
      exchange.answer(200, pty.get().describe());
    }
  }

  void remove(Pty pty) {
    open.remove(pty.id(), pty);
  }

  int count() {
    return open.size();
  }

  void cut() {
    open.values().forEach(Pty::cut);
  }

  void forget() {
    open.clear();
  }
}
