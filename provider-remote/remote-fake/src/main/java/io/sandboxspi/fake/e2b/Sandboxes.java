package io.sandboxspi.fake.e2b;

import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;

/** All sandboxes, and the edge in front of them. */
final class Sandboxes {
  static final int DAEMON = 49983;

  private final Map<String, FakeSandbox> open = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer;
  private final Random random = new Random();

  Sandboxes(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  String newId() {
    StringBuilder id = new StringBuilder("i");
    for (int i = 0; i < 20; i++) {
      id.append("abcdefghijklmnopqrstuvwxyz0123456789".charAt(random.nextInt(36)));
    }
    return id.toString();
  }

  void add(FakeSandbox sandbox) {
    open.put(sandbox.id(), sandbox);
  }

  void remove(FakeSandbox sandbox) {
    open.remove(sandbox.id());
  }

  Optional<FakeSandbox> find(String id) {
    return Optional.ofNullable(open.get(id));
  }

  Collection<FakeSandbox> all() {
    return List.copyOf(open.values());
  }

  void edge(Exchange exchange, String id) throws IOException {
    int port;
    try {
      port = Integer.parseInt(exchange.header("E2b-Sandbox-Port").orElse(""));
    } catch (NumberFormatException e) {
      exchange.answer(
          400,
          "text/plain",
          "missing routing header".getBytes(java.nio.charset.StandardCharsets.UTF_8));
      return;
    }
    FakeSandbox sandbox = open.get(id);
    if (sandbox != null && sandbox.paused() && sandbox.wakes(exchange)) {
      sandbox.resume();
    }
    if (sandbox == null || sandbox.paused()) {
      exchange.answer(
          502,
          Exchange.JSON
              .createObjectNode()
              .put("sandboxId", id)
              .put("message", "The sandbox was not found")
              .put("code", 502));
    } else if (port != DAEMON && !sandbox.admits(exchange)) {
      exchange.answer(
          403,
          Exchange.JSON
              .createObjectNode()
              .put("sandboxId", id)
              .put("message", "Traffic access token is missing or invalid")
              .put("code", 403));
    } else if (port != DAEMON) {
      exchange.answer(
          502,
          Exchange.JSON
              .createObjectNode()
              .put("sandboxId", id)
              .put("message", "The sandbox is running but port is not open")
              .put("port", port)
              .put("code", 502));
    } else {
      sandbox.daemon().answer(exchange);
    }
  }

  void close() {
    all().forEach(FakeSandbox::end);
  }
}
