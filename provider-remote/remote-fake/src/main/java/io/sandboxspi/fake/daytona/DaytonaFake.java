package io.sandboxspi.fake.daytona;

import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.FakeServer;
import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.fake.Faults;
import java.io.IOException;
import java.net.URI;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * One fake of Daytona: {@code /api}, the proxy to its daemons at {@code /toolbox}, and the one to
 * ports by the host's name.
 */
public final class DaytonaFake implements FakeVendor.Service {
  /** The one key that it knows. */
  public static final String KEY = "dtn_00112233445566778899aabbccddeeff";

  private static final Pattern TOOLBOX = Pattern.compile("/toolbox/([^/]+)(/.*)");

  private final FakeServer server;
  private final Sandboxes sandboxes;
  private final Snapshots snapshots;
  private final PreviewProxy previews;
  private final ControlPlane controlPlane;

  /** Starts it. */
  public DaytonaFake() {
    // Requests come only once the address is known.
    server = new FakeServer("daytona", this::answer);
    sandboxes = new Sandboxes(server.timer(), server::uri);
    snapshots = new Snapshots(sandboxes);
    previews = new PreviewProxy(sandboxes);
    controlPlane = new ControlPlane(sandboxes, snapshots, previews);
  }

  private void answer(Exchange exchange) throws IOException {
    String path = exchange.path();
    Matcher toolbox = TOOLBOX.matcher(path);
    if (PreviewProxy.isFor(exchange)) {
      previews.forward(exchange);
    } else if (!exchange.header("Authorization").orElse("").equals("Bearer " + KEY)) {
      error(exchange, 401, "Unauthorized", "unauthorized: authentication failed");
    } else if (toolbox.matches()) {
      proxy(exchange, toolbox.group(1), toolbox.group(2));
    } else if (path.startsWith("/api/")) {
      controlPlane.answer(exchange, path.substring("/api".length()));
    } else {
      error(exchange, 404, "Not Found", "no such path");
    }
  }

  private void proxy(Exchange exchange, String id, String path) throws IOException {
    Optional<FakeSandbox> sandbox = sandboxes.find(id);
    if (sandbox.isEmpty()) {
      error(exchange, 404, "Not Found", "sandbox not found");
    } else if (sandbox.get().state().endsWith("ing")) {
      // With nothing in it, as the proxy does.
      exchange.answer(502);
    } else if (!sandbox.get().state().equals("started")) {
      error(exchange, 400, "Bad Request", "no IP address found. Is the Sandbox started?");
    } else {
      sandbox.get().daemon().answer(exchange, path);
    }
  }

  /** A refusal of the control plane. */
  static void error(Exchange exchange, int status, String error, String message) {
    exchange.answer(
        status,
        Exchange.JSON
            .createObjectNode()
            .put("path", exchange.path())
            .put("timestamp", java.time.Instant.now().toString())
            .put("statusCode", status)
            .put("error", error)
            .put("message", message));
  }

  /** What goes wrong. */
  public Faults faults() {
    return server.faults();
  }

  /** Its address. */
  public URI uri() {
    return server.uri();
  }

  @Override
  public int connections() {
    return server.connections();
  }

  /** A sandbox by id or name, also one that does not run. */
  public Optional<FakeSandbox> sandbox(String id) {
    return sandboxes.find(id);
  }

  /** How many there are. */
  @Override
  public int sandboxes() {
    return sandboxes.all().size();
  }

  /** How many snapshots of sandboxes there are. */
  public int snapshots() {
    return snapshots.count();
  }

  /** The next snapshot comes to nothing, of which nobody is told. */
  public void spoilSnapshot() {
    snapshots.spoilNext();
  }

  /** Lists of sandboxes come in pieces of so many at most. */
  public void page(int most) {
    controlPlane.page(most);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("DAYTONA_API_KEY", KEY, "DAYTONA_API_URL", uri() + "/api");
  }

  @Override
  public void close() {
    sandboxes.close();
    snapshots.close();
    server.close();
  }
}
