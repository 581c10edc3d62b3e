package io.sandboxspi.tck.saboteur;

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
import java.util.Set;
import java.util.function.BiFunction;
import java.util.function.UnaryOperator;

/** Delegates; kills one by one. */
class BackendWrapper implements SandboxBackend {
  protected final SandboxBackend delegate;

  BackendWrapper(SandboxBackend delegate) {
    this.delegate = delegate;
  }

  /** Wraps what listens to each process that is launched. */
  static UnaryOperator<SandboxBackend> listeners(UnaryOperator<ProcessListener> wrap) {
    return launches(wrap, (id, process) -> process);
  }

  /** Wraps each process that is launched. */
  static UnaryOperator<SandboxBackend> processes(
      BiFunction<LaunchId, SandboxProcess, SandboxProcess> wrap) {
    return launches(listener -> listener, wrap);
  }

  private static UnaryOperator<SandboxBackend> launches(
      UnaryOperator<ProcessListener> listening,
      BiFunction<LaunchId, SandboxProcess, SandboxProcess> wrap) {
    return backend ->
        new BackendWrapper(backend) {
          @Override
          public SandboxProcess launch(
              LaunchRequest request, ProcessListener listener, Deadline deadline)
              throws InterruptedException {
            return wrap.apply(
                request.id(), super.launch(request, listening.apply(listener), deadline));
          }
        };
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
    return delegate.launch(request, listener, deadline);
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    return delegate.kill(id, deadline);
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
    delegate.detach(deadline);
  }

  @Override
  public BackendFiles files() {
    return delegate.files();
  }

  @Override
  public Liveness probe(Deadline deadline) throws InterruptedException {
    return delegate.probe(deadline);
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    return delegate.release(deadline);
  }
}
