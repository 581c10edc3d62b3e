package io.sandboxspi.fake.e2b;

import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.FakeServer;
import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.fake.Faults;
import java.io.IOException;
import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** One fake of E2B: control plane, edge and daemons at one address. */
public final class E2bFake implements FakeVendor.Service {
  /** The one key that it knows. */
  public static final String KEY = "e2b_00112233445566778899aabbccddeeff00112233";

  private final FakeServer server;
  private final Sandboxes sandboxes;
  private final Snapshots snapshots;
  private final ControlPlane controlPlane;
  private final Map<String, Integer> headers = new ConcurrentHashMap<>();

  /** Starts it. */
  public E2bFake() {
    // Requests come only once the address is known.
    server = new FakeServer("e2b", this::answer);
    sandboxes = new Sandboxes(server.timer());
    snapshots = new Snapshots();
    controlPlane = new ControlPlane(sandboxes, snapshots);
  }

  private void answer(Exchange exchange) throws IOException {
    exchange.headers().forEach(name -> headers.merge(name, 1, Integer::sum));
    Optional<String> sandbox = exchange.header("E2b-Sandbox-Id");
    if (sandbox.isPresent()) {
      sandboxes.edge(exchange, sandbox.get());
    } else {
      controlPlane.answer(exchange);
    }
  }

  /** How many requests had a header. */
  public int headers(String name) {
    return headers.getOrDefault(name.toLowerCase(Locale.ROOT), 0);
  }

  /** Does to all processes of a sandbox what the vendor's kill does. */
  public void killLeaders(String sandbox) {
    sandboxes.find(sandbox).ifPresent(found -> found.daemon().killLeaders());
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

  /** A sandbox, paused ones too. */
  public Optional<FakeSandbox> sandbox(String id) {
    return sandboxes.find(id);
  }

  /** How many there are, paused ones too. */
  @Override
  public int sandboxes() {
    return sandboxes.all().size();
  }

  /** How many snapshots there are. */
  public int snapshots() {
    return snapshots.count();
  }

  /** Lists of sandboxes come in pieces of so many at most. */
  public void page(int most) {
    controlPlane.page(most);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "E2B_API_KEY", KEY,
        "E2B_API_URL", uri().toString(),
        "E2B_SANDBOX_URL", uri().toString());
  }

  @Override
  public void close() {
    sandboxes.close();
    snapshots.close();
    server.close();
  }
}
