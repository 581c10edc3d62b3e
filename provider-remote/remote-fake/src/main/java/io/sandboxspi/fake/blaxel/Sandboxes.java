package io.sandboxspi.fake.blaxel;

import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.function.Supplier;

/** All sandboxes. Thread-safe. */
final class Sandboxes {
  private final Map<String, FakeSandbox> open = new ConcurrentSkipListMap<>();
  private final ScheduledExecutorService timer;
  private final Supplier<String> gateway;

  Sandboxes(ScheduledExecutorService timer, Supplier<String> gateway) {
    this.timer = timer;
    this.gateway = gateway;
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  /** Where the sandboxes are reached; their names follow. */
  String gateway() {
    return gateway.get();
  }

  void add(FakeSandbox sandbox) {
    open.put(sandbox.name(), sandbox);
  }

  Optional<FakeSandbox> find(String name) {
    return Optional.ofNullable(open.get(name));
  }

  Collection<FakeSandbox> all() {
    return List.copyOf(open.values());
  }

  void close() {
    all().forEach(FakeSandbox::destroy);
  }
}
