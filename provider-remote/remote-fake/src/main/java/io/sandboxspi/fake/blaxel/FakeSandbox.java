package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.Posix;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;

/** One sandbox: a directory, and processes that carry its name. Thread-safe. */
public final class FakeSandbox {
  private static final long TRANSITION = 30;

  private final Sandboxes sandboxes;
  private final String name;
  private final Path root;
  private final Agent agent;
  private final Instant created = Instant.now();
  private final Map<String, ObjectNode> previews = new ConcurrentHashMap<>();
  private final AtomicInteger waking = new AtomicInteger();
  private volatile ObjectNode config;
  private volatile String status = "DEPLOYED";
  private volatile boolean asleep;

  FakeSandbox(Sandboxes sandboxes, String name, ObjectNode config) {
    this.sandboxes = sandboxes;
    this.name = name;
    this.config = config;
    try {
      root = Files.createTempDirectory("sandbox-fake-blaxel").toRealPath();
      Files.createDirectories(home());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    agent = new Agent(this, sandboxes.timer());
  }

  String name() {
    return name;
  }

  /** What it was made with. */
  public ObjectNode config() {
    return config;
  }

  void config(ObjectNode value) {
    config = value;
  }

  Map<String, ObjectNode> previews() {
    return previews;
  }

  /** Its status as on the wire. */
  public String status() {
    return status;
  }

  /** Changes its status at once, whatever the processes do. */
  public void status(String value) {
    status = value;
  }

  Agent agent() {
    return agent;
  }

  /** The home directory of its user, on this machine. */
  public Path home() {
    return root.resolve("root");
  }

  /** Terminals whose shell lives. */
  public int terminals() {
    return agent.terminals();
  }

  /** Processes of the process calls that run. */
  public int processes() {
    return agent.processes();
  }

  /** Uploads in parts that are neither complete nor dropped. */
  public int uploads() {
    return agent.uploads();
  }

  /** In the environment of all its processes. */
  public String mark() {
    return "BL_SANDBOX=" + name;
  }

  /** What every process finds in its environment. */
  Map<String, String> environment(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", home().toString());
    environment.put("BL_SANDBOX", name);
    config
        .path("spec")
        .path("runtime")
        .path("envs")
        .forEach(e -> environment.put(e.path("name").asText(), e.path("value").asText()));
    environment.putAll(more);
    return environment;
  }

  /** Kills what is left of a terminal's session. Its number may be a foreign one's by now. */
  void killSession(long leader) {
    List<Long> left = Posix.inSession(leader);
    if (!left.isEmpty()) {
      List<Long> mine = Posix.with(mark());
      left.stream().filter(mine::contains).forEach(pid -> Posix.signal(pid, Posix.KILL));
    }
  }

  /** Freezes it with all in it, as when nobody has used it for a while. */
  public synchronized void standby() {
    agent.cut();
    asleep = true;
    Posix.with(mark()).forEach(pid -> Posix.signal(pid, Posix.STOP));
  }

  /** Cuts the connections of all terminals. */
  public void cutTerminals() {
    agent.cut();
  }

  /** Drops the next output of all terminals. */
  public void dropOutput() {
    agent.clients().forEach(TerminalClient::dropNext);
  }

  /** Sends a message, as it is, to all who are connected to terminals. */
  public void say(String message) {
    agent.clients().forEach(client -> client.say(message));
  }

  /** The limit in seconds of the last command of the process calls. */
  public long lastTimeout() {
    return agent.lastTimeout();
  }

  /** The next requests find that it is not awake yet. */
  public void unavailable(int requests) {
    waking.set(requests);
  }

  /** Whether this request comes too early; any request wakes it. */
  synchronized boolean wakes() {
    if (asleep) {
      asleep = false;
      Posix.with(mark()).forEach(pid -> Posix.signal(pid, Posix.CONT));
    }
    return waking.getAndUpdate(n -> Math.max(0, n - 1)) > 0;
  }

  /** Ends it a little later. */
  void delete() {
    status = "DELETING";
    var unused =
        sandboxes
            .timer()
            .schedule(
                () -> FakeThreads.start("delete", this::destroy),
                TRANSITION,
                TimeUnit.MILLISECONDS);
  }

  /** Ends it with all in it, as a machine that is switched off; its record stays for a while. */
  public void destroy() {
    agent.cut();
    Posix.endAll(mark());
    status = "TERMINATED";
    try (Stream<Path> files = Files.walk(root)) {
      files.sorted(Comparator.reverseOrder()).map(Path::toFile).forEach(java.io.File::delete);
    } catch (IOException | UncheckedIOException left) {
      // The system's temporary directory is emptied by others.
      assert left.getMessage() != null;
    }
  }

  ObjectNode describe() {
    ObjectNode node = BlaxelFake.object();
    node.put("status", status).put("state", asleep ? "STANDBY" : "RUNNING");
    node.set("spec", config.path("spec").deepCopy());
    ObjectNode metadata = node.putObject("metadata");
    if (config.path("metadata") instanceof ObjectNode given) {
      metadata.setAll(given.deepCopy());
    }
    metadata
        .put("name", name)
        .put("workspace", BlaxelFake.WORKSPACE)
        .put("url", sandboxes.gateway() + name)
        .put("createdAt", created.toString())
        .put("updatedAt", created.toString());
    node.putArray("events");
    return node;
  }
}
