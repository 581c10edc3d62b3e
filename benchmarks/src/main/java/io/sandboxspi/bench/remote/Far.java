package io.sandboxspi.bench.remote;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.core.session.EngineOptions;
import io.sandboxspi.core.session.EngineSession;
import io.sandboxspi.fake.e2b.E2bFake;
import io.sandboxspi.remote.e2b.E2bProvider;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SandboxBackend;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The fake, in a JVM of its own, and who talks to it. */
public final class Far implements AutoCloseable {
  private final Peer fake;
  private final URI near;
  private final URI slow;
  private final Path client;

  /**
   * Starts it.
   *
   * @param client a directory with the vendor's client for Node
   */
  public Far(Path client) throws IOException {
    this.client = client;
    fake = Peer.java(FakeMain.class);
    near = URI.create(fake.line());
    slow = URI.create(fake.line());
  }

  URI near() {
    return near;
  }

  private static Map<String, String> settings(URI address) {
    return Map.of(
        "E2B_API_KEY", E2bFake.KEY,
        "E2B_API_URL", address.toString(),
        "E2B_SANDBOX_URL", address.toString());
  }

  static Deadline soon() {
    return Deadline.after(Duration.ofSeconds(60));
  }

  static BackendRequest request() {
    return new BackendRequest("bench-" + UUID.randomUUID().toString().substring(0, 8), Map.of());
  }

  SandboxSession session() throws InterruptedException {
    return session(near);
  }

  /** Over the link that takes 50 ms there and back. */
  SandboxSession slowSession() throws InterruptedException {
    return session(slow);
  }

  private static SandboxSession session(URI address) throws InterruptedException {
    return EngineSession.open(
        E2bProvider.with(settings(address)), SandboxSpec.defaults(), EngineOptions.defaults());
  }

  /** Used past the engine. */
  SandboxBackend backend() throws InterruptedException {
    return E2bProvider.with(settings(near)).create(request(), soon());
  }

  void delete(SandboxBackend backend) throws InterruptedException {
    Object unused = E2bProvider.with(settings(near)).delete(backend.ref(), soon());
  }

  /** The vendor's client. */
  Peer vendor() throws IOException {
    Map<String, String> environment = new HashMap<>(settings(near));
    return new Peer(client, environment, List.of("node", "e2b.mjs"));
  }

  @Override
  public void close() throws IOException {
    fake.close();
  }
}
