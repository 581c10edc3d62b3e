package io.sandboxspi.fake.e2b;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Trees;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Snapshots of sandboxes, which are templates. Thread-safe. */
final class Snapshots {
  private final Map<String, Taken> taken = new ConcurrentHashMap<>();

  private record Taken(String sandbox, String id, String name, Path content) {
    ObjectNode describe() {
      ObjectNode node = Exchange.JSON.createObjectNode().put("snapshotID", id);
      ArrayNode names = node.putArray("names");
      if (!name.isEmpty()) {
        names.add("team/" + name + ":default");
      }
      return node;
    }
  }

  int count() {
    return taken.size();
  }

  Optional<Path> content(String id) {
    return Optional.ofNullable(taken.get(id)).map(Taken::content);
  }

  /**
   * The sandbox is paused for a moment: its streams end, its token changes, its processes go on.
   */
  void take(Exchange exchange, FakeSandbox sandbox, ObjectNode body, String id) throws IOException {
    if (!sandbox.pause()) {
      ControlPlane.error(exchange, 409, "sandbox cannot be snapshotted in its state");
      return;
    }
    Path content = Files.createTempDirectory("sandbox-fake-e2b-snapshot");
    Trees.copy(sandbox.root(), content);
    sandbox.resume();
    sandbox.live(java.time.Duration.between(java.time.Instant.now(), sandbox.endAt()));
    Taken fresh = new Taken(sandbox.id(), id + ":default", body.path("name").asText(""), content);
    taken.put(fresh.id(), fresh);
    exchange.answer(201, fresh.describe());
  }

  void list(Exchange exchange) {
    ArrayNode array = Exchange.JSON.createArrayNode();
    String sandbox = exchange.query("sandboxID").orElse("");
    taken.values().stream()
        .filter(each -> sandbox.isEmpty() || each.sandbox().equals(sandbox))
        .forEach(each -> array.add(each.describe()));
    exchange.answer(200, array);
  }

  void delete(Exchange exchange, String id) {
    Taken found = taken.remove(id);
    if (found == null) {
      ControlPlane.error(exchange, 404, "template not found");
    } else {
      Trees.delete(found.content());
      exchange.answer(204);
    }
  }

  void close() {
    taken.values().forEach(each -> Trees.delete(each.content()));
  }
}
