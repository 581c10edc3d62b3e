package io.sandboxspi.fake.cloudflare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;

/** Containers by sandbox: whoever asks for one gets one. Thread-safe. */
final class Pool {
  private final ScheduledExecutorService timer;
  private final Map<String, Container> running = new LinkedHashMap<>();
  private int most;
  private volatile Duration sleepAfter = Duration.ZERO;

  /** All instances are in use. */
  static final class Full extends Exception {
    private static final long serialVersionUID = 1L;

    Full(int most) {
      super("instance limit reached (" + most + "/" + most + ")");
    }
  }

  Pool(ScheduledExecutorService timer) {
    this.timer = timer;
  }

  synchronized Container container(String id) throws Full {
    Container known = running.get(id);
    if (known != null) {
      return known;
    }
    if (most > 0 && running.size() >= most) {
      throw new Full(most);
    }
    Container fresh = new Container(timer);
    running.put(id, fresh);
    watch(id, fresh);
    return fresh;
  }

  private void watch(String id, Container container) {
    Duration time = sleepAfter;
    if (!time.isZero()) {
      long left = container.idleSince() + time.toNanos() - System.nanoTime();
      if (left <= 0) {
        synchronized (this) {
          running.remove(id, container);
        }
        io.sandboxspi.fake.FakeThreads.start("sleep", container::destroy);
      } else {
        var unused = timer.schedule(() -> watch(id, container), left, TimeUnit.NANOSECONDS);
      }
    }
  }

  synchronized Optional<Container> running(String id) {
    return Optional.ofNullable(running.get(id));
  }

  void destroy(String id) {
    Container found;
    synchronized (this) {
      found = running.remove(id);
    }
    if (found != null) {
      found.destroy();
    }
  }

  synchronized int count() {
    return running.size();
  }

  synchronized void limit(int value) {
    most = value;
  }

  synchronized void sleepAfter(Duration time) {
    sleepAfter = time;
    Map.copyOf(running).forEach(this::watch);
  }

  synchronized ObjectNode stats() {
    ObjectNode stats = CloudflareFake.object();
    stats.put("warm", 0).put("assigned", running.size()).put("total", running.size());
    stats
        .putObject("config")
        .put("warmTarget", 0)
        .put("refreshInterval", 10_000)
        .put("maxInstances", most)
        .put("scaleBatchSize", 5);
    return stats.put("maxInstances", most);
  }

  void close() {
    List<Container> all;
    synchronized (this) {
      all = new ArrayList<>(running.values());
      running.clear();
    }
    all.forEach(Container::destroy);
  }
}
