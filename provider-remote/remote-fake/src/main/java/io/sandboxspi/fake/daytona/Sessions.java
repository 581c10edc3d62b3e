package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** Sessions: shells that stay, and that read commands one after another. */
final class Sessions {
  private final FakeSandbox sandbox;
  private final Map<String, ShellSession> open = new ConcurrentHashMap<>();

  Sessions(FakeSandbox sandbox) {
    this.sandbox = sandbox;
  }

  void answer(Exchange exchange, String path) throws IOException {
    if (path.isEmpty()) {
      if (exchange.method().equals("POST")) {
        create(exchange);
      } else {
        ArrayNode all = Exchange.JSON.createArrayNode();
        open.values().forEach(session -> all.add(session.describe()));
        exchange.answer(200, all);
      }
      return;
    }
    String[] parts = path.substring(1).split("/");
    ShellSession session = open.get(parts[0]);
    if (session == null) {
      Daemon.refuse(exchange, 404, "NOT_FOUND", "session not found");
      return;
    }
    String action =
        exchange.method()
            + (parts.length > 1 ? " " + parts[1] : "")
            + (parts.length > 3 ? " " + parts[3] : "");
    switch (action) {
      case "GET" -> exchange.answer(200, session.describe());
      case "DELETE" -> {
        open.remove(parts[0]);
        session.end();
        exchange.answer(204);
      }
      case "POST exec" -> execute(exchange, session);
      default -> command(exchange, session, parts, action);
    }
  }

  private void create(Exchange exchange) throws IOException {
    String id = exchange.json().path("sessionId").asText("");
    if (id.isEmpty() || id.equals("entrypoint")) {
      Daemon.refuse(exchange, 400, "BAD_REQUEST", "sessionId is required");
    } else if (open.containsKey(id)) {
      Daemon.refuse(exchange, 409, "CONFLICT", "session already exists");
    } else {
      open.put(id, new ShellSession(sandbox, id));
      exchange.answer(201);
    }
  }

  private static void execute(Exchange exchange, ShellSession session) throws IOException {
    ObjectNode body = exchange.json();
    String text = body.path("command").asText("");
    if (text.isEmpty()) {
      Daemon.refuse(exchange, 400, "BAD_REQUEST", "command is required");
      return;
    }
    boolean later = body.path("runAsync").asBoolean(body.path("async").asBoolean(false));
    ShellCommand command = session.run(text, later);
    if (later) {
      exchange.answer(202, FakeSandbox.object().put("cmdId", command.id()));
      return;
    }
    while (command.exitCode().isEmpty()) {
      if (session.ended()) {
        Daemon.refuse(exchange, 400, "BAD_REQUEST", "session cancelled");
        return;
      }
      pause(20);
    }
    ObjectNode answer = logs(exchange, command);
    answer.put("cmdId", command.id()).put("exitCode", command.exitCode().get());
    exchange.answer(200, answer);
  }

  private static ObjectNode logs(Exchange exchange, ShellCommand command) throws IOException {
    byte[] log = command.log();
    ObjectNode answer = FakeSandbox.object();
    if (exchange.header("X-Daytona-SDK-Version").isPresent()) {
      answer.put("output", new String(log, java.nio.charset.StandardCharsets.UTF_8));
      answer.put("stdout", ShellCommand.stream(log, 1)).put("stderr", ShellCommand.stream(log, 2));
    } else {
      answer.put("output", ShellCommand.stream(log, 0));
    }
    return answer;
  }

  static void pause(long millis) {
    try {
      boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  private static void command(
      Exchange exchange, ShellSession session, String[] parts, String action) throws IOException {
    Optional<ShellCommand> found = parts.length > 2 ? session.command(parts[2]) : Optional.empty();
    if (found.isEmpty()) {
      Daemon.refuse(exchange, 404, "NOT_FOUND", "command not found");
      return;
    }
    ShellCommand command = found.get();
    switch (action) {
      case "GET command" -> exchange.answer(200, command.describe());
      case "GET command logs" -> {
        if (exchange.wantsSocket()) {
          exchange.upgrade(
              new LogClient(command, exchange.fault()), exchange.protocols().stream().findFirst());
        } else {
          exchange.answer(200, logs(exchange, command));
        }
      }
      case "POST command input" -> {
        String data = exchange.json().path("data").asText("");
        if (command.exitCode().isPresent()) {
          Daemon.refuse(exchange, 410, "GONE", "command has finished");
        } else {
          Path pipe = command.input();
          Files.writeString(
              pipe,
              data.endsWith("\n") ? data : data + "\n",
              java.nio.file.StandardOpenOption.WRITE);
          exchange.answer(204);
        }
      }
      default -> Daemon.refuse(exchange, 404, "NOT_FOUND", "no such action");
    }
  }

  void cut() {
    open.values().forEach(ShellSession::end);
  }

  void forget() {
    open.clear();
  }
}
