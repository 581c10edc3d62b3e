package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Posix;
import java.io.ByteArrayOutputStream;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** One-shot commands: text for a shell's input, output in one piece. */
final class Commands {
  private final FakeSandbox sandbox;
  private final ScheduledExecutorService timer;

  Commands(FakeSandbox sandbox, ScheduledExecutorService timer) {
    this.sandbox = sandbox;
    this.timer = timer;
  }

  void execute(Exchange exchange) throws IOException {
    ObjectNode body = exchange.json();
    String command =
        body.has("command") ? body.path("command").asText() : body.path("code").asText();
    if (command.isEmpty()) {
      Daemon.refuse(exchange, 400, "BAD_REQUEST", "command is required");
      return;
    }
    Map<String, String> environment = new HashMap<>();
    body.path("envs").properties().forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
    String directory = body.path("cwd").asText("");
    ProcessBuilder builder =
        new ProcessBuilder("/bin/bash")
            .directory(new File(directory.isEmpty() ? sandbox.home().toString() : directory))
            .redirectErrorStream(true);
    builder.environment().clear();
    builder.environment().putAll(sandbox.environment(environment));
    Process process;
    try {
      process = builder.start();
    } catch (IOException e) {
      exchange.answer(
          200,
          FakeSandbox.object().put("exitCode", -1).put("result", String.valueOf(e.getMessage())));
      return;
    }
    AtomicBoolean late = new AtomicBoolean();
    int seconds = body.path("timeout").asInt(0);
    if (seconds > 0) {
      var unused =
          timer.schedule(
              () -> {
                late.set(true);
                process.descendants().forEach(child -> Posix.signal(child.pid(), Posix.KILL));
                boolean dead = Posix.signal(process.pid(), Posix.KILL);
                assert dead || !process.isAlive();
              },
              seconds,
              TimeUnit.SECONDS);
    }
    try (OutputStream in = process.getOutputStream()) {
      in.write(command.getBytes(StandardCharsets.UTF_8));
    } catch (IOException ended) {
      assert ended.getMessage() != null;
    }
    ByteArrayOutputStream output = new ByteArrayOutputStream();
    long unused = process.getInputStream().transferTo(output);
    int code;
    try {
      code = process.waitFor();
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw new IOException("interrupted", e);
    }
    if (late.get()) {
      Daemon.refuse(exchange, 408, "REQUEST_TIMEOUT", "command execution timeout");
    } else {
      exchange.answer(
          200,
          FakeSandbox.object()
              .put("exitCode", code)
              .put("result", output.toString(StandardCharsets.UTF_8)));
    }
  }
}
