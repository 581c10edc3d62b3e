package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.util.concurrent.ScheduledExecutorService;

/** The daemon in a sandbox. */
final class Daemon {
  private final FakeSandbox sandbox;
  private final Ptys ptys;
  private final Commands commands;
  private final Sessions sessions;
  private final FileCalls files;

  Daemon(FakeSandbox sandbox, ScheduledExecutorService timer) {
    this.sandbox = sandbox;
    this.ptys = new Ptys(sandbox);
    this.commands = new Commands(sandbox, timer);
    this.sessions = new Sessions(sandbox);
    this.files = new FileCalls(sandbox);
  }

  void answer(Exchange exchange, String path) throws IOException {
    if (path.startsWith("/process/pty")) {
      ptys.answer(exchange, path.substring("/process/pty".length()));
    } else if (path.startsWith("/process/session")) {
      sessions.answer(exchange, path.substring("/process/session".length()));
    } else if (path.equals("/process/execute") || path.equals("/process/code-run")) {
      commands.execute(exchange);
    } else if (path.startsWith("/files")) {
      files.answer(exchange, path.substring("/files".length()));
    } else {
      switch (path) {
        case "/user-home-dir", "/work-dir", "/project-dir" ->
            exchange.answer(200, FakeSandbox.object().put("dir", sandbox.home().toString()));
        case "/version" -> exchange.answer(200, FakeSandbox.object().put("version", "v0.190.0"));
        default -> refuse(exchange, 404, "NOT_FOUND", "no such path");
      }
    }
  }

  /** A refusal of the daemon. */
  static void refuse(Exchange exchange, int status, String code, String message) {
    ObjectNode body =
        FakeSandbox.object()
            .put("statusCode", status)
            .put("message", message)
            .put("code", code)
            .put("timestamp", java.time.Instant.now().toString())
            .put("path", exchange.path())
            .put("method", exchange.method());
    exchange.answer(status, body);
  }

  int terminals() {
    return ptys.count();
  }

  void cutTerminals() {
    ptys.cut();
  }

  /** The machine is gone: connections end without a word. */
  void cutStreams() {
    ptys.cut();
    sessions.cut();
  }

  void forget() {
    ptys.forget();
    sessions.forget();
  }
}
