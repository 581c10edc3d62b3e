package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Snapshots: those that everybody has, and those that were taken of sandboxes. Thread-safe. */
final class Snapshots {
  private static final Set<String> GENERAL = Set.of("default", "daytona-small");
  private static final long PULL = 30;

  private final Sandboxes sandboxes;
  private final Map<String, Taken> taken = new ConcurrentHashMap<>();
  private final AtomicInteger spoilt = new AtomicInteger();

  private static final class Taken {
    private final String id = UUID.randomUUID().toString();
    private final String name;
    private final Path content;
    private volatile String state = "pulling";

    Taken(String name, Path content) {
      this.name = name;
      this.content = content;
    }

    ObjectNode describe() {
      return FakeSandbox.object()
          .put("id", id)
          .put("organizationId", "org")
          .put("name", name)
          .put("state", state)
          .put("general", false)
          .put("cpu", 1)
          .put("mem", 1)
          .put("disk", 3);
    }
  }

  Snapshots(Sandboxes sandboxes) {
    this.sandboxes = sandboxes;
  }

  int count() {
    return taken.size();
  }

  /** The next one comes to nothing, of which nobody is told. */
  void spoilNext() {
    spoilt.incrementAndGet();
  }

  /** Whether a sandbox can be made of it. */
  boolean usable(String name) {
    Taken known = taken.get(name);
    return GENERAL.contains(name) || (known != null && known.state.equals("active"));
  }

  Optional<Path> content(String name) {
    return Optional.ofNullable(taken.get(name)).map(known -> known.content);
  }

  /** Begins one; it is listed once all is written, and can be used a little later. */
  void take(Exchange exchange, FakeSandbox sandbox) throws IOException {
    ObjectNode body = exchange.json();
    String name = body.path("name").asText("");
    String before = sandbox.state();
    if (name.isEmpty()) {
      DaytonaFake.error(exchange, 400, "Bad Request", "name should not be empty");
    } else if (before.endsWith("ing")) {
      DaytonaFake.error(exchange, 409, "Conflict", "Sandbox state change in progress");
    } else if (!before.equals("started") && !before.equals("stopped")) {
      DaytonaFake.error(
          exchange,
          400,
          "Bad Request",
          "Sandbox must be in started or stopped state to create a snapshot");
    } else if (body.path("includeMemory").asBoolean(false)) {
      DaytonaFake.error(
          exchange, 400, "Bad Request", "includeMemory is only supported for Windows sandboxes");
    } else {
      sandbox.change("snapshotting", before, () -> write(sandbox, name));
      exchange.answer(200, sandbox.describe());
    }
  }

  private void write(FakeSandbox sandbox, String name) {
    if (spoilt.getAndUpdate(n -> Math.max(0, n - 1)) > 0 || taken.containsKey(name)) {
      return;
    }
    try {
      Path content = Files.createTempDirectory("sandbox-fake-daytona-snapshot");
      Trees.copy(sandbox.root(), content);
      Taken fresh = new Taken(name, content);
      taken.put(name, fresh);
      var unused =
          sandboxes.timer().schedule(() -> fresh.state = "active", PULL, TimeUnit.MILLISECONDS);
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  void answer(Exchange exchange, String which) {
    @Nullable Taken found = taken.get(which);
    for (Taken each : taken.values()) {
      if (each.id.equals(which)) {
        found = each;
      }
    }
    if (found == null) {
      DaytonaFake.error(exchange, 404, "Not Found", "Snapshot " + which + " not found");
    } else if (exchange.method().equals("GET")) {
      exchange.answer(200, found.describe());
    } else if (exchange.method().equals("DELETE") && found.id.equals(which)) {
      taken.remove(found.name);
      Trees.delete(found.content);
      exchange.answer(200);
    } else {
      DaytonaFake.error(exchange, 404, "Not Found", "Snapshot with ID " + which + " not found");
    }
  }

  void close() {
    List.copyOf(taken.values()).forEach(each -> Trees.delete(each.content));
  }
}
