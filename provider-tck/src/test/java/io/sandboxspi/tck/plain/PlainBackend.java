package io.sandboxspi.tck.plain;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.files.ShellFiles;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.TerminationOutcome;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.WeakHashMap;

final class PlainBackend implements SandboxBackend {
  private static final Set<PlainBackend> ATTACHED =
      Collections.synchronizedSet(Collections.newSetFromMap(new WeakHashMap<>()));

  private final BackendRef ref;
  private final Path home;
  private final Path work;
  private final Object lock = new Object();
  private final Set<LaunchId> tombstones = new HashSet<>();
  private final Set<LaunchId> started = new HashSet<>();

  PlainBackend(BackendRef ref, Path home) {
    this.ref = ref;
    this.home = home;
    this.work = home.resolve("work");
    ATTACHED.add(this);
  }

  @Override
  public BackendRef ref() {
    return ref;
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    if (request.terminal().isPresent()) {
      throw SandboxException.of(ErrorCode.UNSUPPORTED, Operation.PTY_START, "no terminals");
    }
    if (deadline.expired()) {
      throw start(ErrorCode.OPEN_TIMEOUT, "the deadline has passed");
    }
    Path directory = request.workdir().map(work::resolve).orElse(work);
    if (!Files.isDirectory(directory)) {
      throw start(ErrorCode.WORKING_DIRECTORY_NOT_FOUND, "no such directory");
    }
    preflight(request.argv().get(0), directory);
    Map<String, String> environment = new HashMap<>();
    environment.put("PATH", "/usr/local/bin:/usr/bin:/bin");
    environment.put("HOME", work.toString());
    environment.put("LANG", "C.UTF-8");
    environment.putAll(request.environment());
    environment.put("SANDBOX_PLAIN", ref.data().get("id"));
    environment.put("SANDBOX_LAUNCH", request.id().value());
    try {
      // Started under the lock, so that a kill comes before or after it.
      synchronized (lock) {
        if (tombstones.contains(request.id())) {
          throw start(ErrorCode.LAUNCH_FAILED, "killed before its launch");
        }
        started.add(request.id());
        return PlainProcess.start(request, environment, directory, home, listener);
      }
    } catch (IOException e) {
      throw SandboxException.builder(
              ErrorCode.LAUNCH_FAILED, Operation.COMMAND_START, "cannot start")
          .cause(e)
          .retryable(Retryable.UNKNOWN)
          .build();
    }
  }

  private static void preflight(String program, Path directory) {
    List<Path> candidates = new ArrayList<>();
    if (program.contains("/")) {
      candidates.add(directory.resolve(program));
    } else {
      for (String part : "/usr/local/bin:/usr/bin:/bin".split(":")) {
        candidates.add(Path.of(part, program));
      }
    }
    boolean found = false;
    for (Path candidate : candidates) {
      if (Files.isRegularFile(candidate)) {
        found = true;
        if (Files.isExecutable(candidate)) {
          return;
        }
      }
    }
    throw found
        ? start(ErrorCode.COMMAND_NOT_EXECUTABLE, "not executable")
        : start(ErrorCode.COMMAND_NOT_FOUND, "not found");
  }

  private static SandboxException start(ErrorCode code, String message) {
    return SandboxException.builder(code, Operation.COMMAND_START, message)
        .retryable(Retryable.NO)
        .build();
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    return killAll(List.of(id), deadline).get(id);
  }

  @Override
  public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    Set<String> cookies = new HashSet<>();
    Map<LaunchId, TerminationOutcome> outcomes = new HashMap<>();
    synchronized (lock) {
      tombstones.addAll(ids);
      for (LaunchId id : ids) {
        cookies.add("SANDBOX_LAUNCH=" + id.value());
        outcomes.put(
            id,
            started.contains(id)
                ? TerminationOutcome.confirmed()
                : TerminationOutcome.alreadyGone());
      }
    }
    if (!Processes.end(cookies, deadline)) {
      Throwable cause =
          SandboxException.of(
              ErrorCode.TERMINATION_UNCONFIRMED, Operation.PTY_TERMINATE, "still alive");
      outcomes.replaceAll((id, outcome) -> TerminationOutcome.unconfirmed(cause));
    }
    return outcomes;
  }

  @Override
  public BackendFiles files() {
    return ShellFiles.over(this, work.toString(), "sh");
  }

  @Override
  public Liveness probe(Deadline deadline) {
    return Files.isDirectory(work) ? Liveness.RUNNING : Liveness.GONE;
  }

  @Override
  public TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    Set<String> cookies = new HashSet<>();
    for (PlainBackend other : ATTACHED.toArray(new PlainBackend[0])) {
      if (other != this && other.home.equals(home)) {
        synchronized (other.lock) {
          other.started.forEach(id -> cookies.add("SANDBOX_LAUNCH=" + id.value()));
        }
      }
    }
    return cookies.isEmpty() || Processes.end(cookies, deadline)
        ? TerminationOutcome.confirmed()
        : TerminationOutcome.unconfirmed(new IllegalStateException("something lives"));
  }

  @Override
  public void detach(Deadline deadline) {
    // There is nothing on this side.
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) {
    return ReleaseOutcome.DONE;
  }
}
