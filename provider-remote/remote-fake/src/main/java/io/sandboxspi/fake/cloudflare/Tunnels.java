package io.sandboxspi.fake.cloudflare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;

/** Addresses of ports; nothing answers behind them here. */
final class Tunnels {
  private static final int SERVER = 3000;

  private final Map<Integer, ObjectNode> open = new ConcurrentHashMap<>();

  void answer(Exchange exchange, String text) throws IOException {
    int port = text.matches("[0-9]{1,5}") ? Integer.parseInt(text) : 0;
    if (port < 1024 || port > 65_535 || port == SERVER) {
      CloudflareFake.error(exchange, 400, "invalid_request", "port must be 1024-65535, not 3000");
    } else if (exchange.method().equals("DELETE")) {
      open.remove(port);
      exchange.answer(204);
    } else {
      Optional<String> name = Optional.ofNullable(exchange.json().path("name").textValue());
      if (name.isPresent() && !name.get().matches("[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")) {
        CloudflareFake.error(exchange, 400, "invalid_request", "name must be a DNS label");
        return;
      }
      exchange.answer(200, open.computeIfAbsent(port, key -> tunnel(key, name)));
    }
  }

  private static ObjectNode tunnel(int port, Optional<String> name) {
    String host = name.orElse(UUID.randomUUID().toString()) + ".trycloudflare.com";
    ObjectNode tunnel =
        CloudflareFake.object()
            .put("id", UUID.randomUUID().toString())
            .put("port", port)
            .put("url", "https://" + host)
            .put("hostname", host)
            .put("createdAt", Instant.now().toString());
    name.ifPresent(value -> tunnel.put("name", value));
    return tunnel;
  }
}
