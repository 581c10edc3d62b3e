package io.sandboxspi.fake.cloudflare;

import io.sandboxspi.fake.Posix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.stream.Stream;

/**
 * One container: a directory of this machine with a workspace in it, and processes that carry its
 * mark. What is {@code /workspace} in a real one is {@link #workspace()} here. Thread-safe.
 */
public final class Container {
  private static final String MARK = "FAKE_CONTAINER";

  private final String id = UUID.randomUUID().toString();
  private final Path root;
  private final ScheduledExecutorService timer;
  private final Routes routes;
  private final Map<String, BridgeSession> sessions = new ConcurrentHashMap<>();
  private final BridgeSession common;
  private volatile Duration silence = Duration.ofMinutes(5);
  private volatile long used = System.nanoTime();
  private volatile boolean destroyed;

  Container(ScheduledExecutorService timer) {
    this.timer = timer;
    try {
      root = Files.createTempDirectory("sandbox-fake-cloudflare").toRealPath();
      Files.createDirectories(workspace());
      Files.createDirectories(home());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    this.common = new BridgeSession(this, "default", workspace().toString(), Map.of());
    this.routes = new Routes(this);
  }

  Routes routes() {
    return routes;
  }

  ScheduledExecutorService timer() {
    return timer;
  }

  /** Its workspace, on this machine. */
  public Path workspace() {
    return root.resolve("workspace");
  }

  /** The home directory of its user, on this machine. */
  public Path home() {
    return root.resolve("home/sandbox");
  }

  Path root() {
    return root;
  }

  /** Its processes. */
  public java.util.List<Long> processes() {
    return Posix.with(MARK + "=" + id);
  }

  /** How many sessions it has, without the common one. */
  public int sessions() {
    return sessions.size();
  }

  /** After how long without output a command is given up; five minutes unless set. */
  public void silence(Duration time) {
    silence = time;
  }

  Duration silence() {
    return silence;
  }

  void touch() {
    used = System.nanoTime();
  }

  long idleSince() {
    return used;
  }

  Map<String, String> environment(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", home().toString());
    environment.put("USER", "sandbox");
    environment.put("LANG", "C.UTF-8");
    environment.put(MARK, id);
    environment.putAll(more);
    return environment;
  }

  BridgeSession common() {
    return common;
  }

  Optional<BridgeSession> session(String name) {
    return Optional.ofNullable(sessions.get(name));
  }

  /** Makes a session unless there is one. */
  boolean make(String name, String directory, Map<String, String> environment) {
    return sessions.putIfAbsent(name, new BridgeSession(this, name, directory, environment))
        == null;
  }

  /** An unknown one is made. */
  BridgeSession sessionOrNew(String name) {
    return sessions.computeIfAbsent(
        name, key -> new BridgeSession(this, key, workspace().toString(), Map.of()));
  }

  void forget(BridgeSession session) {
    sessions.remove(session.name(), session);
  }

  boolean destroyed() {
    return destroyed;
  }

  /** Cuts the connections of all terminals, as a worker that is deployed does. */
  public void cutTerminals() {
    common.cut();
    sessions.values().forEach(BridgeSession::cut);
  }

  /** Says a text on the connections of all terminals. */
  public void tellTerminals(String text) {
    sessions.values().forEach(session -> session.tell(text));
  }

  /** Stops it with all in it; its disk is lost. */
  public void destroy() {
    destroyed = true;
    cutTerminals();
    Posix.endAll(MARK + "=" + id);
    common.hangUp();
    sessions.values().forEach(BridgeSession::hangUp);
    try (Stream<Path> files = Files.walk(root)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    } catch (IOException | UncheckedIOException left) {
      // The system's temporary directory is emptied by others.
      assert left.getMessage() != null;
    }
  }
}
