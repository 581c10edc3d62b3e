package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Posix;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;

/** Process calls: no input, output in memory, and nobody who leaves ends anything. */
final class Processes {
  private static final int SIGTERM = 15;

  private final FakeSandbox sandbox;
  private final ScheduledExecutorService timer;
  private final Map<String, OneProcess> known = new ConcurrentHashMap<>();
  private volatile long lastTimeout;

  Processes(FakeSandbox sandbox, ScheduledExecutorService timer) {
    this.sandbox = sandbox;
    this.timer = timer;
  }

  void answer(Exchange exchange, String path) throws IOException {
    String[] parts = path.isEmpty() ? new String[0] : path.substring(1).split("/");
    if (parts.length == 0) {
      if (exchange.method().equals("POST")) {
        start(exchange);
      } else {
        ArrayNode all = Exchange.JSON.createArrayNode();
        known.values().forEach(each -> all.add(each.describe(OneProcess.SHORT)));
        exchange.answer(200, all);
      }
      return;
    }
    Optional<OneProcess> process = find(parts[0]);
    String action = exchange.method() + (parts.length > 1 ? " " + parts[1] : "");
    if (process.isEmpty()) {
      Agent.refuse(exchange, 404, "process not found");
      return;
    }
    switch (action) {
      case "GET" -> exchange.answer(200, process.get().describe(OneProcess.SHORT));
      case "GET logs" -> exchange.answer(200, process.get().logs());
      case "DELETE" -> signal(exchange, process.get(), SIGTERM, "stopped");
      case "DELETE kill" -> signal(exchange, process.get(), Posix.KILL, "killed");
      default -> Agent.refuse(exchange, 404, "not found");
    }
  }

  private Optional<OneProcess> find(String name) {
    return Optional.ofNullable(known.get(name))
        .or(() -> known.values().stream().filter(p -> ("" + p.pid()).equals(name)).findFirst());
  }

  private static void signal(Exchange exchange, OneProcess process, int number, String done) {
    if (process.running() && process.signal(number)) {
      exchange.answer(200, BlaxelFake.object().put("message", "Process " + done + " successfully"));
    } else {
      Agent.refuse(exchange, 404, "no such process");
    }
  }

  private void start(Exchange exchange) throws IOException {
    ObjectNode body = exchange.json();
    String name = body.path("name").asText("proc-" + UUID.randomUUID().toString().substring(0, 8));
    String command = body.path("command").asText("");
    String directory = body.path("workingDir").asText(sandbox.home().toString());
    OneProcess before = known.get(name);
    if (command.isEmpty()) {
      Agent.refuse(exchange, 400, "command is required");
      return;
    }
    if (before != null && before.running()) {
      Agent.refuse(exchange, 400, "process with name '" + name + "' already exists and is running");
      return;
    }
    if (!new java.io.File(directory).isDirectory()) {
      Agent.refuse(
          exchange,
          422,
          "failed to start process: could not execute command '"
              + command
              + "' because folder '"
              + directory
              + "' does not exist");
      return;
    }
    Map<String, String> environment = new HashMap<>();
    body.path("env").properties().forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
    OneProcess process = new OneProcess(name, command, directory);
    process.start(sandbox.environment(environment));
    known.put(name, process);
    long timeout = body.path("timeout").asLong(0);
    lastTimeout = timeout;
    boolean streams = exchange.header("Accept").orElse("").contains("text/event-stream");
    if (streams) {
      new ProcessStream(exchange, process, timer).begin();
    } else if (body.path("waitForCompletion").asBoolean(false)) {
      process.whenOver(
          timer,
          timeout,
          inTime -> {
            if (inTime) {
              exchange.answer(200, process.describe(OneProcess.LONG));
            } else {
              // It runs on.
              Agent.refuse(exchange, 422, "process timed out after " + timeout + " seconds");
            }
          });
    } else {
      exchange.answer(200, process.describe(OneProcess.SHORT));
    }
  }

  long lastTimeout() {
    return lastTimeout;
  }

  int running() {
    return (int) known.values().stream().filter(OneProcess::running).count();
  }
}
