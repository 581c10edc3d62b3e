package io.sandboxspi.fake.modal;

import io.grpc.Status;
import io.sandboxspi.fake.FakeThreads;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.Trees;
import io.sandboxspi.remote.modal.wire.GenericResult;
import io.sandboxspi.remote.modal.wire.GenericResult.GenericStatus;
import io.sandboxspi.remote.modal.wire.Sandbox;
import io.sandboxspi.remote.modal.wire.SandboxTag;
import io.sandboxspi.remote.modal.wire.SecretSource;
import io.sandboxspi.remote.modal.wire.TaskExecStartRequest;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** One sandbox: a directory, and processes that carry its task's id. Thread-safe. */
public final class FakeSandbox {
  private final Sandboxes sandboxes;
  private final String id;
  private final String task;
  private final String app;
  private final Sandbox definition;
  private final Map<String, String> variables;
  private final Path root;
  private final Path outputs;
  private final Map<String, Exec> execs = new ConcurrentHashMap<>();
  private final CompletableFuture<GenericResult> result = new CompletableFuture<>();
  private final double createdAt = System.currentTimeMillis() / 1000.0;
  private final AtomicInteger asked = new AtomicInteger();
  private volatile List<SandboxTag> tags;
  private volatile boolean ending;
  private @Nullable ScheduledFuture<?> idle;

  FakeSandbox(
      Sandboxes sandboxes,
      boolean second,
      String app,
      Sandbox definition,
      List<SandboxTag> tags,
      Map<String, String> variables) {
    this.sandboxes = sandboxes;
    this.app = app;
    this.definition = definition;
    this.tags = List.copyOf(tags);
    this.variables = Map.copyOf(variables);
    this.id = "sb-" + Sandboxes.word(second ? 26 : 22);
    this.task = "ta-" + Sandboxes.word(22) + (second ? "V" : "");
    try {
      this.root = Files.createTempDirectory("sandbox-fake-modal").toRealPath();
      this.outputs = Files.createTempDirectory("sandbox-fake-modal-io").toRealPath();
      Optional<Path> content = sandboxes.images().content(definition.getImageId());
      if (content.isPresent()) {
        Trees.copy(content.get(), root);
      }
      Files.createDirectories(home());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
    var unused =
        timer()
            .schedule(
                () -> FakeThreads.start("timeout", this::timedOut),
                definition.getTimeoutSecs(),
                TimeUnit.SECONDS);
    execEnded();
  }

  ScheduledExecutorService timer() {
    return sandboxes.timer();
  }

  /** Its id. */
  public String id() {
    return id;
  }

  String task() {
    return task;
  }

  String app() {
    return app;
  }

  Sandbox definition() {
    return definition;
  }

  double createdAt() {
    return createdAt;
  }

  List<SandboxTag> tags() {
    return tags;
  }

  void tag(List<SandboxTag> value) {
    tags = List.copyOf(value);
  }

  Path root() {
    return root;
  }

  Path outputs() {
    return outputs;
  }

  /** The home directory of its user, on this machine. */
  public Path home() {
    return root.resolve("root");
  }

  String workdir() {
    return definition.hasWorkdir() ? definition.getWorkdir() : "/";
  }

  /** How often its task was asked for; it has none at first. */
  int asked() {
    return asked.getAndIncrement();
  }

  /** How it ended; empty while it runs. */
  public Optional<GenericResult> ended() {
    return Optional.ofNullable(result.getNow(null));
  }

  /** Whether it ends or has ended: nothing is said of its processes any more. */
  boolean ending() {
    return ending;
  }

  CompletableFuture<GenericResult> result() {
    return result;
  }

  /** In the environment of all its processes. */
  public String mark() {
    return "MODAL_TASK_ID=" + task;
  }

  Map<String, String> environment() {
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin");
    environment.put("HOME", home().toString());
    environment.put("MODAL_SANDBOX_ID", id);
    environment.put("MODAL_TASK_ID", task);
    environment.putAll(variables);
    return environment;
  }

  void secrets(List<String> ids, List<SecretSource> sources, Map<String, String> into) {
    sandboxes.secrets(ids, sources, into);
  }

  /** Starts a process, once for each id. */
  Exec start(TaskExecStartRequest request) {
    synchronized (execs) {
      if (ending) {
        throw Sandboxes.notFound("task " + task);
      }
      Exec known = execs.get(request.getExecId());
      if (known == null) {
        if (request.getCommandArgsCount() == 0) {
          throw Status.INVALID_ARGUMENT.withDescription("no command").asRuntimeException();
        }
        try {
          known = new Exec(this, request);
        } catch (IOException e) {
          throw Status.INVALID_ARGUMENT.withDescription("it does not start").asRuntimeException();
        }
        execs.put(request.getExecId(), known);
        synchronized (this) {
          if (idle != null) {
            idle.cancel(false);
          }
        }
      }
      return known;
    }
  }

  Exec exec(String execId) {
    Exec known = execs.get(execId);
    if (known == null || ending) {
      throw Sandboxes.notFound("exec " + execId);
    }
    return known;
  }

  /** How many processes the router has started. */
  public int execs() {
    return execs.size();
  }

  /** Counts its idle time while nothing runs. */
  void execEnded() {
    if (!definition.hasIdleTimeoutSecs()) {
      return;
    }
    synchronized (this) {
      if (execs.values().stream().allMatch(exec -> exec.exit().isDone())) {
        idle =
            timer()
                .schedule(
                    () ->
                        FakeThreads.start(
                            "idle", () -> end(GenericStatus.GENERIC_STATUS_IDLE_TIMEOUT, 0)),
                    definition.getIdleTimeoutSecs(),
                    TimeUnit.SECONDS);
      }
    }
  }

  /** Its time is over. */
  public void timedOut() {
    end(GenericStatus.GENERIC_STATUS_TIMEOUT, 0);
  }

  /** Ends it, as a machine that is switched off. */
  void end(GenericStatus status, int code) {
    List<Exec> all;
    synchronized (execs) {
      if (ending) {
        return;
      }
      ending = true;
      all = new ArrayList<>(execs.values());
    }
    // A machine that vanishes tells nobody how its processes end.
    all.forEach(Exec::silence);
    Posix.endAll(mark());
    boolean unused =
        result.complete(GenericResult.newBuilder().setStatus(status).setExitcode(code).build());
    all.forEach(Exec::forget);
    Trees.delete(root);
    Trees.delete(outputs);
  }

  @Override
  public String toString() {
    return id + " since " + Instant.ofEpochMilli((long) (createdAt * 1000));
  }
}
