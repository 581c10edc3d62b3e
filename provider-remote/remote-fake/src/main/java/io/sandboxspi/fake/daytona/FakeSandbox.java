package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.Trees;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** One sandbox: a directory, and processes that carry its id. Thread-safe. */
public final class FakeSandbox {
  private static final long TRANSITION = 30;

  private final Sandboxes sandboxes;
  private final String id = UUID.randomUUID().toString();
  private final ObjectNode config;
  private final Path root;
  private final Daemon daemon;
  private final AtomicInteger touches = new AtomicInteger();
  private volatile String token = newToken();
  private volatile String state = "creating";
  private volatile String errorReason = "";

  FakeSandbox(Sandboxes sandboxes, ObjectNode config, Optional<Path> content) {
    this.sandboxes = sandboxes;
    this.config = config;
    try {
      root = Files.createTempDirectory("sandbox-fake-daytona").toRealPath();
      Files.createDirectories(home());
      // What an image's owner may have put there.
      Files.writeString(home().resolve(".bashrc"), "echo 'welcome to the sandbox'\n");
      if (content.isPresent()) {
        Trees.copy(content.get(), root);
      }
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    daemon = new Daemon(this, sandboxes.timer());
  }

  private static String newToken() {
    return UUID.randomUUID().toString().replace("-", "");
  }

  /** Of its ports. */
  String token() {
    return token;
  }

  void renewToken() {
    token = newToken();
  }

  Path root() {
    return root;
  }

  /** Its id. */
  public String id() {
    return id;
  }

  String name() {
    return config.path("name").asText(id);
  }

  /** What it was made with. */
  public ObjectNode config() {
    return config;
  }

  /** Its state as on the wire. */
  public String state() {
    return state;
  }

  /** Changes its state at once, whatever the processes do. */
  public void state(String value, String reason) {
    errorReason = reason;
    state = value;
  }

  Daemon daemon() {
    return daemon;
  }

  /** The home directory of its user, on this machine. */
  public Path home() {
    return root.resolve("home/daytona");
  }

  /** How often it was said to be in use. */
  public int touches() {
    return touches.get();
  }

  void touch() {
    touches.incrementAndGet();
  }

  /** Terminals that its daemon knows. */
  public int terminals() {
    return daemon.terminals();
  }

  /** Cuts the connections of all terminals; what runs in them runs on. */
  public void cutTerminals() {
    daemon.cutTerminals();
  }

  private String mark() {
    return "DAYTONA_SANDBOX_ID=" + id;
  }

  /** What every process finds in its environment. */
  Map<String, String> environment(Map<String, String> more) {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", home().toString());
    environment.put("USER", "daytona");
    environment.put("SHELL", "/bin/bash");
    environment.put("DAYTONA_SANDBOX_ID", id);
    config
        .path("env")
        .properties()
        .forEach(e -> environment.put(e.getKey(), e.getValue().asText()));
    environment.putAll(more);
    return environment;
  }

  /** Goes to a state through another one, a little later. */
  void change(String through, String to, Runnable work) {
    state = through;
    var unused =
        sandboxes
            .timer()
            .schedule(
                () ->
                    FakeThreads.start(
                        "change",
                        () -> {
                          work.run();
                          if (state.equals(through)) {
                            state = to;
                          }
                        }),
                TRANSITION,
                TimeUnit.MILLISECONDS);
  }

  /** Ends all that runs in it. */
  void endProcesses() {
    daemon.cutStreams();
    Posix.endAll(mark());
    daemon.forget();
  }

  /** Stops it as the vendor does when nobody seems to use it. */
  public void stop() {
    change("stopping", "stopped", this::endProcesses);
  }

  void freeze() {
    daemon.cutStreams();
    Posix.with(mark()).forEach(pid -> Posix.signal(pid, Posix.STOP));
  }

  void thaw() {
    Posix.with(mark()).forEach(pid -> Posix.signal(pid, Posix.CONT));
  }

  /** Ends it with all in it, as a machine that is switched off. */
  public void destroy() {
    state = "destroyed";
    sandboxes.remove(this);
    endProcesses();
    Trees.delete(root);
  }

  ObjectNode describe() {
    ObjectNode node = config.deepCopy();
    node.put("id", id).put("organizationId", "org").put("name", name()).put("user", "daytona");
    node.put("state", state).put("desiredState", "started");
    node.put("recoverable", false).put("sandboxClass", "container");
    node.put("public", config.path("public").asBoolean(false));
    node.put("networkBlockAll", config.path("networkBlockAll").asBoolean(false));
    node.put("target", config.path("target").asText("us"));
    node.put("cpu", 1).put("gpu", 0).put("memory", 1).put("disk", 3);
    node.put("autoStopInterval", config.path("autoStopInterval").asInt(15));
    node.put("createdAt", Instant.now().toString()).put("updatedAt", Instant.now().toString());
    node.put("toolboxProxyUrl", sandboxes.proxy());
    if (!node.has("labels")) {
      node.putObject("labels");
    }
    if (!node.has("env")) {
      node.putObject("env");
    }
    if (!errorReason.isEmpty()) {
      node.put("errorReason", errorReason);
    }
    return node;
  }

  /** Parses JSON. */
  static ObjectNode object() {
    return Exchange.JSON.createObjectNode();
  }
}
