package io.sandboxspi.tck.saboteur;

import io.sandboxspi.Capability;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ListedBackend;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SandboxProvider;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.UnaryOperator;

/** Delegates; wraps its backends. */
class ProviderWrapper implements SandboxProvider {
  private final SandboxProvider delegate;
  private final UnaryOperator<SandboxBackend> wrap;

  ProviderWrapper(SandboxProvider delegate, UnaryOperator<SandboxBackend> wrap) {
    this.delegate = delegate;
    this.wrap = wrap;
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
  public SandboxBackend create(BackendRequest request, Deadline deadline)
      throws InterruptedException {
    return wrap.apply(delegate.create(request, deadline));
  }

  @Override
  public SandboxBackend attach(BackendRef ref, Deadline deadline) throws InterruptedException {
    return wrap.apply(delegate.attach(ref, deadline));
  }

  @Override
  public List<ListedBackend> list(Map<String, String> options, Deadline deadline)
      throws InterruptedException {
    return delegate.list(options, deadline);
  }

  @Override
  public ReleaseOutcome delete(BackendRef ref, Deadline deadline) throws InterruptedException {
    return delegate.delete(ref, deadline);
  }
}
