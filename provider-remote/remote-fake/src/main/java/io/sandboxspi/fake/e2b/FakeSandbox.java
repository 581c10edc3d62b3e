package io.sandboxspi.fake.e2b;

import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One sandbox: a directory, and processes that carry its id. Thread-safe. */
public final class FakeSandbox {
  private final Sandboxes sandboxes;
  private final String id;
  private final Config config;
  private final Path root;
  private final Daemon daemon;
  private final Instant startedAt = Instant.now();
  private final String trafficToken = newToken();
  private String token = newToken();
  private boolean paused;
  private boolean ended;
  private Instant endAt = Instant.now();
  private @Nullable ScheduledFuture<?> timeout;

  /**
   * What it was made with.
   *
   * @param autoPause whether it is paused at its end, not killed
   * @param autoResume whether traffic wakes it
   * @param open whether its ports need no token
   */
  record Config(
      String template,
      boolean secure,
      boolean autoPause,
      boolean autoResume,
      boolean open,
      Map<String, String> metadata,
      Map<String, String> environment) {}

  FakeSandbox(Sandboxes sandboxes, Config config, Duration life, Optional<Path> content) {
    this.sandboxes = sandboxes;
    this.id = sandboxes.newId();
    this.config = config;
    try {
      this.root = Files.createTempDirectory("sandbox-fake-e2b").toRealPath();
      Files.createDirectories(home());
      Files.writeString(home().resolve(".bashrc"), "");
      if (content.isPresent()) {
        Trees.copy(content.get(), root);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.daemon = new Daemon(this, sandboxes.timer());
    live(life);
  }

  private static String newToken() {
    return (UUID.randomUUID().toString() + UUID.randomUUID()).replace("-", "");
  }

  /** Its id. */
  public String id() {
    return id;
  }

  Config config() {
    return config;
  }

  Daemon daemon() {
    return daemon;
  }

  /** The home directory of its user, on this machine. */
  public Path home() {
    return root.resolve("home/user");
  }

  synchronized String token() {
    return token;
  }

  /** Of its ports. */
  String trafficToken() {
    return trafficToken;
  }

  /** Whether it takes a request for one of its ports. */
  boolean admits(Exchange exchange) {
    return config.open()
        || exchange.header("e2b-traffic-access-token").orElse("").equals(trafficToken);
  }

  Path root() {
    return root;
  }

  /** Changes its metadata, as if it had been made so. */
  public void mark(String name, String value) {
    config.metadata().put(name, value);
  }

  /** Whether it is paused. */
  public synchronized boolean paused() {
    return paused;
  }

  synchronized boolean ended() {
    return ended;
  }

  Instant startedAt() {
    return startedAt;
  }

  /** When it is killed or paused. */
  public synchronized Instant endAt() {
    return endAt;
  }

  String mark() {
    return "E2B_SANDBOX_ID=" + id;
  }

  /** What every process finds in its environment. */
  Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", home().toString());
    environment.put("USER", "user");
    environment.put("LOGNAME", "user");
    environment.put("E2B_SANDBOX", "true");
    environment.put("E2B_SANDBOX_ID", id);
    environment.putAll(config.environment());
    return environment;
  }

  /** From now on it lives so long. */
  synchronized void live(Duration life) {
    if (timeout != null) {
      timeout.cancel(false);
    }
    endAt = Instant.now().plus(life);
    timeout =
        sandboxes
            .timer()
            .schedule(
                () -> io.sandboxspi.fake.FakeThreads.start("timeout", this::timedOut),
                life.toMillis(),
                TimeUnit.MILLISECONDS);
  }

  /** Its time is over. */
  public void timedOut() {
    if (config.autoPause()) {
      boolean unused = pause();
    } else {
      end();
    }
  }

  boolean wakes(Exchange exchange) {
    return config.autoResume()
        && (!config.secure() || exchange.header("X-Access-Token").orElse("").equals(token()));
  }

  /** Stops everything in it, and cuts its streams; whether it ran. */
  public boolean pause() {
    synchronized (this) {
      if (paused || ended) {
        return false;
      }
      paused = true;
      if (timeout != null) {
        timeout.cancel(false);
      }
    }
    daemon.cutStreams();
    Posix.with(mark()).forEach(pid -> Posix.signal(pid, Posix.STOP));
    return true;
  }

  /** Goes on with another token. */
  void resume() {
    synchronized (this) {
      paused = false;
      token = newToken();
    }
    Posix.with(mark()).forEach(pid -> Posix.signal(pid, Posix.CONT));
  }

  /** Ends it, as a machine that is switched off. */
  public void end() {
    synchronized (this) {
      if (ended) {
        return;
      }
      ended = true;
      if (timeout != null) {
        timeout.cancel(false);
      }
    }
    sandboxes.remove(this);
    daemon.cutStreams();
    Posix.endAll(mark());
    daemon.forget();
    Trees.delete(root);
  }
}
