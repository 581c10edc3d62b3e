package io.sandboxspi.tck.fault;

import io.sandboxspi.Capability;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * Wraps a provider and carries out a {@link FaultPlan}. Launches are told apart by the variable
 * {@link #TAG} in their environment. Thread-safe.
 */
public final class FaultyProvider implements SandboxProvider {
  /** The environment variable that tags a launch. */
  public static final String TAG = "SANDBOX_TCK_TAG";

  private final SandboxProvider delegate;
  private final FaultySeam seam;
  private final List<FaultyBackend> backends = new CopyOnWriteArrayList<>();

  /** Wraps the provider. */
  public FaultyProvider(SandboxProvider delegate, FaultPlan plan, CallLog log) {
    this.delegate = delegate;
    this.seam = new FaultySeam(plan, log);
  }

  /** The provider below. */
  public SandboxProvider delegate() {
    return delegate;
  }

  /** Backends made, in order. */
  public List<FaultyBackend> backends() {
    return List.copyOf(backends);
  }

  /** The launch with this tag that came last. */
  public Optional<FaultyProcess> launch(String tag) {
    return backends.stream()
        .flatMap(backend -> backend.launches().stream())
        .filter(process -> process.tag().equals(tag))
        .reduce((a, b) -> b);
  }

  @Override
  public String name() {
    return delegate.name();
  }

  @Override
  public Set<Capability> capabilities() {
    return delegate.capabilities();
  }

  @Override
  public Availability availability() {
    return delegate.availability();
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    Optional<Object> ignored = seam.at(FaultPoint.CREATE_BEFORE, "");
    FaultyBackend backend = new FaultyBackend(delegate.create(request, deadline), seam);
    backends.add(backend);
    ignored = seam.at(FaultPoint.CREATE_RETURN, "");
    return backend;
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
    Optional<Object> ignored = seam.at(FaultPoint.ATTACH_BEFORE, "");
    FaultyBackend backend = new FaultyBackend(delegate.attach(ref, deadline), seam);
    backends.add(backend);
    return backend;
  }

  @Override
  public Optional<NativeSnapshots> nativeSnapshots() {
    return delegate.nativeSnapshots();
  }

  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    return delegate.list(options, deadline);
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    Optional<Object> answer = seam.at(FaultPoint.DELETE_BEFORE, "");
    if (answer.isPresent()) {
      return (ReleaseOutcome) answer.get();
    }
    ReleaseOutcome outcome = delegate.delete(ref, FaultySeam.still(deadline));
    return (ReleaseOutcome) seam.at(FaultPoint.DELETE_RETURN, "", outcome.name()).orElse(outcome);
  }
}
