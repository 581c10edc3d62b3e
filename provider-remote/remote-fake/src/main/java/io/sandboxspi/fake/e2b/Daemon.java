package io.sandboxspi.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.RealProcess;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** The daemon in one sandbox: processes; files are in {@link DaemonFiles}. */
final class Daemon {
  private static final Set<String> USERS = Set.of("user", "root");
  private static final int REMEMBERED_SECONDS = 30;

  private final FakeSandbox sandbox;
  private final ScheduledExecutorService timer;
  private final DaemonFiles files;
  private final Map<Long, DaemonProcess> processes = new ConcurrentHashMap<>();

  Daemon(FakeSandbox sandbox, ScheduledExecutorService timer) {
    this.sandbox = sandbox;
    this.timer = timer;
    this.files = new DaemonFiles(sandbox.home());
  }

  void answer(Exchange exchange) throws IOException {
    String path = exchange.path();
    boolean open = path.equals("/health");
    String token = exchange.header("X-Access-Token").orElse("");
    if (path.matches("/(init|freeze|unfreeze|collapse|fsfreeze|fsthaw|upgrade)")) {
      ControlPlane.error(exchange, 404, "the path is blocked");
    } else if (!open && sandbox.config().secure() && !token.equals(sandbox.token())) {
      ControlPlane.error(
          exchange,
          401,
          "unauthorized access, please provide a valid access token or method signing if supported");
    } else if (path.equals("/health")) {
      exchange.answer(204);
    } else if (path.equals("/files") || path.startsWith("/filesystem.Filesystem/")) {
      files.answer(exchange);
    } else if (path.startsWith("/process.Process/")) {
      process(exchange, path.substring("/process.Process/".length()));
    } else {
      exchange.answer(404);
    }
  }

  private void process(Exchange exchange, String method) throws IOException {
    boolean stream = method.equals("Start") || method.equals("Connect");
    if (!USERS.contains(user(exchange))) {
      Connect.refuse(exchange, "unauthenticated", "invalid username");
      return;
    }
    if (stream) {
      if (!exchange.header("Content-Type").orElse("").equals("application/connect+json")) {
        exchange.answer(415);
      } else if (method.equals("Start")) {
        start(exchange, Connect.request(exchange));
      } else {
        connect(exchange, Connect.request(exchange));
      }
      return;
    }
    ObjectNode request = exchange.json();
    if (method.equals("List")) {
      list(exchange);
      return;
    }
    Optional<DaemonProcess> found = find(request);
    if (found.isEmpty() || found.get().over()) {
      Connect.refuse(exchange, "not_found", "process not found");
      return;
    }
    one(exchange, method, request, found.get());
  }

  private void one(Exchange exchange, String method, ObjectNode request, DaemonProcess process) {
    try {
      switch (method) {
        case "SendInput" -> {
          JsonNode input = request.path("input");
          String kind = process.terminal() ? "pty" : "stdin";
          if (!input.has(kind) || !process.input()) {
            Connect.refuse(exchange, "internal", "stdin not enabled or closed");
            return;
          }
          process.write(Base64.getDecoder().decode(input.path(kind).asText()));
        }
        case "CloseStdin" -> {
          if (process.terminal()) {
            Connect.refuse(exchange, "unknown", "cannot close stdin of a PTY");
            return;
          }
          process.closeInput();
        }
        case "Update" -> {
          JsonNode size = request.path("pty").path("size");
          if (!process.terminal()) {
            Connect.refuse(exchange, "invalid_argument", "not a PTY");
            return;
          }
          process.resize(size.path("cols").asInt(), size.path("rows").asInt());
        }
        case "SendSignal" -> {
          switch (request.path("signal").asText()) {
            case "SIGNAL_SIGKILL" -> process.signal(Posix.KILL);
            case "SIGNAL_SIGTERM" -> process.signal(15);
            default -> {
              Connect.refuse(exchange, "unimplemented", "invalid signal");
              return;
            }
          }
        }
        default -> {
          Connect.refuse(exchange, "unimplemented", "no such method");
          return;
        }
      }
      exchange.answer(200, Exchange.JSON.createObjectNode());
    } catch (IOException e) {
      Connect.refuse(exchange, "internal", "error writing to stdin: " + e.getMessage());
    }
  }

  private static String user(Exchange exchange) {
    String header = exchange.header("Authorization").orElse("");
    if (!header.startsWith("Basic ")) {
      return "user";
    }
    String pair =
        new String(
            Base64.getDecoder().decode(header.substring("Basic ".length())),
            StandardCharsets.UTF_8);
    return pair.split(":", 2)[0];
  }

  private Optional<DaemonProcess> find(ObjectNode request) {
    return Optional.ofNullable(processes.get(request.path("process").path("pid").asLong(0)));
  }

  private void list(Exchange exchange) {
    ObjectNode answer = Exchange.JSON.createObjectNode();
    ArrayNode all = Exchange.JSON.createArrayNode();
    processes.values().stream()
        .filter(process -> !process.over())
        .forEach(
            process -> all.addObject().put("pid", process.pid()).set("config", process.config()));
    if (!all.isEmpty()) {
      answer.set("processes", all);
    }
    exchange.answer(200, answer);
  }

  private void start(Exchange exchange, ObjectNode request) throws IOException {
    JsonNode config = request.path("process");
    Path directory =
        config.path("cwd").asText("").isEmpty()
            ? sandbox.home()
            : files.resolve(config.path("cwd").asText());
    if (!Files.isDirectory(directory)) {
      Connect.refuseStream(exchange, "invalid_argument", "cwd '" + directory + "' does not exist");
      return;
    }
    Map<String, String> environment = new HashMap<>(sandbox.environment());
    config
        .path("envs")
        .properties()
        .forEach(field -> environment.put(field.getKey(), field.getValue().asText()));
    environment.put("E2B_SANDBOX_ID", sandbox.id());
    // A missing program is an exit code of this shell, never an error.
    List<String> argv = new ArrayList<>(List.of("/bin/sh", "-c", "exec \"$@\"", "sh"));
    argv.add(config.path("cmd").asText());
    config.path("args").forEach(argument -> argv.add(argument.asText()));
    JsonNode size = request.path("pty").path("size");
    boolean terminal = request.has("pty");
    Optional<int[]> window =
        terminal
            ? Optional.of(new int[] {size.path("cols").asInt(80), size.path("rows").asInt(24)})
            : Optional.empty();
    RealProcess.Spec spec =
        new RealProcess.Spec(
            argv, environment, directory.toString(), window, request.path("stdin").asBoolean(true));
    long[] pid = new long[1];
    DaemonProcess process =
        new DaemonProcess(
            config instanceof ObjectNode object ? object : Exchange.JSON.createObjectNode(),
            spec,
            () -> forget(pid[0]));
    pid[0] = process.pid();
    processes.put(process.pid(), process);
    Subscriber subscriber = subscriber(exchange);
    process.subscribe(subscriber);
    process.begin();
    exchange
        .header("Connect-Timeout-Ms")
        .ifPresent(
            text -> {
              var unused =
                  timer.schedule(
                      () -> {
                        if (!process.over()) {
                          io.sandboxspi.fake.FakeThreads.start(
                              "expire", () -> process.expire(subscriber));
                        }
                      },
                      Long.parseLong(text),
                      TimeUnit.MILLISECONDS);
            });
    if (sandbox.ended()) {
      Posix.endAll(sandbox.mark());
    }
  }

  private void forget(long pid) {
    try {
      var unused =
          timer.schedule(() -> processes.remove(pid), REMEMBERED_SECONDS, TimeUnit.SECONDS);
    } catch (java.util.concurrent.RejectedExecutionException closed) {
      processes.remove(pid);
    }
  }

  private Subscriber subscriber(Exchange exchange) {
    long keepAlive = exchange.header("Keepalive-Ping-Interval").map(Long::parseLong).orElse(90L);
    return new Subscriber(exchange, timer, keepAlive);
  }

  private void connect(Exchange exchange, ObjectNode request) {
    Optional<DaemonProcess> found = find(request);
    if (found.isEmpty()) {
      Connect.refuseStream(exchange, "not_found", "process not found");
    } else {
      found.get().subscribe(subscriber(exchange));
    }
  }

  void killLeaders() {
    processes.values().forEach(process -> process.signal(Posix.KILL));
  }

  void cutStreams() {
    processes.values().forEach(DaemonProcess::cutStreams);
  }

  void forget() {
    processes.clear();
  }
}
