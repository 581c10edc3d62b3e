package io.sandboxspi.fake.daytona;

import java.net.URI;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** All sandboxes. Thread-safe. */
final class Sandboxes {
  private final Map<String, FakeSandbox> open = new ConcurrentHashMap<>();
  private final ScheduledExecutorService timer;
  private final Supplier<URI> server;

  Sandboxes(ScheduledExecutorService timer, Supplier<URI> server) {
    this.timer = timer;
    this.server = server;
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  String proxy() {
    return server.get() + "/toolbox";
  }

  int port() {
    return server.get().getPort();
  }

  void add(FakeSandbox sandbox) {
    open.put(sandbox.id(), sandbox);
  }

  void remove(FakeSandbox sandbox) {
    open.remove(sandbox.id());
  }

  Optional<FakeSandbox> find(String idOrName) {
    return open.values().stream()
        .filter(sandbox -> sandbox.id().equals(idOrName) || sandbox.name().equals(idOrName))
        .findFirst();
  }

  Collection<FakeSandbox> all() {
    return List.copyOf(open.values());
  }

  void close() {
    all().forEach(FakeSandbox::destroy);
  }
}
