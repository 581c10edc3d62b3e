package io.sandboxspi.tck.fault;

import io.sandboxspi.Capability;
import io.sandboxspi.Endpoint;
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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CopyOnWriteArrayList;

/** Wraps a backend. Made by {@link FaultyProvider}. */
public final class FaultyBackend implements SandboxBackend {
  private static final List<FaultPoint> KILL_POINTS =
      List.of(FaultPoint.KILL_BEFORE, FaultPoint.KILL_AFTER_BACKEND, FaultPoint.KILL_RETURN);

  private final SandboxBackend delegate;
  private final FaultySeam seam;
  private final Map<LaunchId, String> tags = new ConcurrentHashMap<>();
  private final List<FaultyProcess> launches = new CopyOnWriteArrayList<>();
  private volatile boolean released;

  FaultyBackend(SandboxBackend delegate, FaultySeam seam) {
    this.delegate = delegate;
    this.seam = seam;
  }

  /** The backend below. */
  public SandboxBackend delegate() {
    return delegate;
  }

  /** Whether the backend below was asked to release: a fault may have answered in its place. */
  public boolean released() {
    return released;
  }

  /** Processes that the provider launched, in order. */
  public List<FaultyProcess> launches() {
    return List.copyOf(launches);
  }

  @Override
  public Set<Capability> lacks() {
    return delegate.lacks();
  }

  @Override
  public BackendRef ref() {
    return delegate.ref();
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    String tag = request.environment().getOrDefault(FaultyProvider.TAG, "");
    tags.put(request.id(), tag);
    Optional<Object> ignored = seam.at(FaultPoint.OPEN_BEFORE, tag);
    FaultyListener faulty = new FaultyListener(tag, listener, seam);
    SandboxProcess real = delegate.launch(request, faulty, FaultySeam.still(deadline));
    FaultyProcess process = new FaultyProcess(request.id(), tag, real, faulty, seam);
    launches.add(process);
    boolean handedOver = false;
    try {
      ignored = seam.at(FaultPoint.OPEN_AFTER_BACKEND, tag);
      ignored = seam.at(FaultPoint.OPEN_RETURN, tag);
      handedOver = true;
      return process;
    } finally {
      if (!handedOver) {
        faulty.mute();
        real.release();
      }
    }
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    String tag = tag(id);
    Optional<Object> answer = seam.at(FaultPoint.KILL_BEFORE, tag);
    if (answer.isPresent()) {
      return (TerminationOutcome) answer.get();
    }
    TerminationOutcome outcome = delegate.kill(id, FaultySeam.still(deadline));
    return answered(tag, outcome);
  }

  @Override
  public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    List<LaunchId> free = new ArrayList<>();
    for (LaunchId id : ids) {
      // A launch with a fault to come is killed on its own, where the fault can be met.
      if (!seam.plan.pending(KILL_POINTS, tag(id))) {
        free.add(id);
      }
    }
    if (free.isEmpty()) {
      return Map.of();
    }
    Map<LaunchId, TerminationOutcome> outcomes = new HashMap<>();
    for (Map.Entry<LaunchId, TerminationOutcome> each :
        delegate.killAll(free, deadline).entrySet()) {
      String tag = tag(each.getKey());
      Optional<FaultPlan.Match> ignored = seam.meet(FaultPoint.KILL_BEFORE, tag, "batch");
      outcomes.put(each.getKey(), answered(tag, each.getValue()));
    }
    return outcomes;
  }

  private TerminationOutcome answered(String tag, TerminationOutcome outcome)
      throws InterruptedException {
    String detail = outcome.proven() ? "proven" : "unconfirmed";
    Optional<Object> answer = seam.at(FaultPoint.KILL_AFTER_BACKEND, tag, detail);
    if (answer.isEmpty()) {
      answer = seam.at(FaultPoint.KILL_RETURN, tag, detail);
    }
    return (TerminationOutcome) answer.orElse(outcome);
  }

  @Override
  public TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    return delegate.killOthers(deadline);
  }

  @Override
  public Set<Integer> ports() {
    return delegate.ports();
  }

  @Override
  public Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    return delegate.endpoint(port, deadline);
  }

  @Override
  public void detach(Deadline deadline) throws InterruptedException {
    Optional<Object> ignored = seam.at(FaultPoint.DETACH_BEFORE, "");
    released = true;
    delegate.detach(FaultySeam.still(deadline));
  }

  @Override
  public BackendFiles files() {
    return new FaultyFiles(delegate.files(), seam);
  }

  @Override
  public Liveness probe(Deadline deadline) throws InterruptedException {
    Optional<Object> ignored = seam.at(FaultPoint.PROBE_BEFORE, "");
    return delegate.probe(deadline);
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    Optional<Object> answer = seam.at(FaultPoint.BACKEND_RELEASE_BEFORE, "");
    if (answer.isPresent()) {
      return (ReleaseOutcome) answer.get();
    }
    released = true;
    ReleaseOutcome outcome = delegate.release(FaultySeam.still(deadline));
    return (ReleaseOutcome)
        seam.at(FaultPoint.BACKEND_RELEASE_RETURN, "", outcome.name()).orElse(outcome);
  }

  private String tag(LaunchId id) {
    return tags.getOrDefault(id, "");
  }
}
