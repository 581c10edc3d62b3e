package io.sandboxspi.tck.scripted;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
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
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Consumer;

/** A backend in memory. Thread-safe. */
public final class ScriptedBackend implements SandboxBackend {
  private final BackendRef ref;
  private final Consumer<ScriptedProcess> script;
  private final ScriptedFiles files = new ScriptedFiles();
  private final Object lock = new Object();
  private final Map<LaunchId, ScriptedProcess> processes = new LinkedHashMap<>();
  private final Set<LaunchId> tombstones = new HashSet<>();
  private boolean gone;
  private int releases;

  ScriptedBackend(BackendRef ref, Consumer<ScriptedProcess> script) {
    this.ref = ref;
    this.script = script;
  }

  /** Every process launched so far, in order. */
  public List<ScriptedProcess> processes() {
    synchronized (lock) {
      return new ArrayList<>(processes.values());
    }
  }

  /** The process launched last. */
  public ScriptedProcess last() {
    List<ScriptedProcess> all = processes();
    return all.get(all.size() - 1);
  }

  /** How often the backend was released. */
  public int releases() {
    synchronized (lock) {
      return releases;
    }
  }

  /** The backend is gone at once: every process is lost. */
  public void destroy() {
    synchronized (lock) {
      gone = true;
    }
    processes().forEach(process -> process.lose("the backend is gone"));
  }

  @Override
  public BackendRef ref() {
    return ref;
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline) {
    ScriptedProcess process = new ScriptedProcess(request, listener);
    synchronized (lock) {
      if (gone) {
        throw SandboxException.of(
            ErrorCode.BACKEND_GONE, Operation.COMMAND_START, "the backend is gone");
      }
      if (tombstones.contains(request.id())) {
        throw SandboxException.of(
            ErrorCode.LAUNCH_FAILED, Operation.COMMAND_START, "killed before its launch");
      }
      processes.put(request.id(), process);
    }
    script.accept(process);
    return process;
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    ScriptedProcess process;
    synchronized (lock) {
      process = processes.get(id);
      if (process == null) {
        tombstones.add(id);
        return TerminationOutcome.alreadyGone();
      }
    }
    return process.kill(deadline);
  }

  @Override
  public BackendFiles files() {
    return files;
  }

  @Override
  public Liveness probe(Deadline deadline) {
    synchronized (lock) {
      return gone ? Liveness.GONE : Liveness.RUNNING;
    }
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) {
    synchronized (lock) {
      releases++;
      return gone ? ReleaseOutcome.ALREADY_GONE : ReleaseOutcome.DONE;
    }
  }
}
