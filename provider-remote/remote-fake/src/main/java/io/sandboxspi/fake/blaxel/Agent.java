package io.sandboxspi.fake.blaxel;

import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.util.concurrent.ScheduledExecutorService;

/** The agent in a sandbox. */
final class Agent {
  private final Terminals terminals;
  private final Processes processes;
  private final Uploads uploads;
  private final FileCalls files;

  Agent(FakeSandbox sandbox, ScheduledExecutorService timer) {
    this.terminals = new Terminals(sandbox);
    this.processes = new Processes(sandbox, timer);
    this.uploads = new Uploads(sandbox);
    this.files = new FileCalls(sandbox);
  }

  void answer(Exchange exchange, String path) throws IOException {
    if (path.equals("/terminal/ws")) {
      terminals.connect(exchange);
    } else if (path.equals("/process") || path.startsWith("/process/")) {
      processes.answer(exchange, path.substring("/process".length()));
    } else if (path.startsWith("/filesystem-multipart")) {
      uploads.answer(exchange, path.substring("/filesystem-multipart".length()));
    } else if (path.startsWith("/filesystem/")) {
      files.answer(exchange, path.substring("/filesystem/".length()));
    } else if (path.equals("/health")) {
      exchange.answer(200, BlaxelFake.object().put("status", "ok").put("version", "v0.2.50"));
    } else {
      refuse(exchange, 404, "not found");
    }
  }

  /** A refusal of the agent. */
  static void refuse(Exchange exchange, int status, String message) {
    exchange.answer(status, BlaxelFake.object().put("error", message));
  }

  int terminals() {
    return terminals.count();
  }

  int processes() {
    return processes.running();
  }

  long lastTimeout() {
    return processes.lastTimeout();
  }

  int uploads() {
    return uploads.open();
  }

  /** Those who are connected to terminals. */
  java.util.List<TerminalClient> clients() {
    return terminals.clients();
  }

  /** Connections end without a word. */
  void cut() {
    terminals.cut();
  }
}
