package io.sandboxspi.bench.contender;

import io.sandboxspi.Capability;
import io.sandboxspi.spi.BackendFiles;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchId;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.Liveness;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProcess;
import io.sandboxspi.spi.SandboxProvider;
import io.sandboxspi.spi.TerminationOutcome;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;

/**
 * A provider whose first process cannot be ended: the attempt heeds no deadline and no interrupt.
 */
final class StallingProvider implements SandboxProvider {
  private final SandboxProvider real;
  private volatile boolean recovered;

  StallingProvider(SandboxProvider real) {
    this.real = real;
  }

  /** From now on everything can be ended. */
  void recover() {
    recovered = true;
  }

  @Override
  public String name() {
    return real.name();
  }

  @Override
  public Set<Capability> capabilities() {
    return real.capabilities();
  }

  @Override
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    return new Backend(real.create(request, deadline));
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
    return new Backend(real.attach(ref, deadline));
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    return real.delete(ref, deadline);
  }

  private final class Backend implements SandboxBackend {
    private final SandboxBackend backend;
    private final AtomicReference<@Nullable LaunchId> first = new AtomicReference<>();

    private Backend(SandboxBackend backend) {
      this.backend = backend;
    }

    @Override
    public BackendRef ref() {
      return backend.ref();
    }

    @Override
    public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
        throws InterruptedException {
      first.compareAndSet(null, request.id());
      return backend.launch(request, listener, deadline);
    }

    private boolean stalls(LaunchId id) {
      return !recovered && id.equals(first.get());
    }

    @Override
    public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
      while (stalls(id)) {
        LockSupport.parkNanos(10_000_000);
      }
      return backend.kill(id, deadline);
    }

    @Override
    public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
        throws InterruptedException {
      return backend.killAll(ids.stream().filter(id -> !stalls(id)).toList(), deadline);
    }

    @Override
    public BackendFiles files() {
      return backend.files();
    }

    @Override
    public Liveness probe(Deadline deadline) throws InterruptedException {
      return backend.probe(deadline);
    }

    @Override
    public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
      return backend.release(deadline);
    }
  }
}
