package io.sandboxspi.tck.saboteur;

import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.Command;
import io.sandboxspi.Endpoint;
import io.sandboxspi.ExecResult;
import io.sandboxspi.Ptys;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxFiles;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SessionState;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Liveness;
import java.util.Set;

/** Delegates. */
class SessionWrapper implements SandboxSession {
  protected final SandboxSession delegate;

  SessionWrapper(SandboxSession delegate) {
    this.delegate = delegate;
  }

  @Override
  public String id() {
    return delegate.id();
  }

  @Override
  public String provider() {
    return delegate.provider();
  }

  @Override
  public Set<Capability> capabilities() {
    return delegate.capabilities();
  }

  @Override
  public BackendRef backend() {
    return delegate.backend();
  }

  @Override
  public SessionState state() {
    return delegate.state();
  }

  @Override
  public ExecResult exec(Command command) throws InterruptedException {
    return delegate.exec(command);
  }

  @Override
  public RunningCommand start(Command command) throws InterruptedException {
    return delegate.start(command);
  }

  @Override
  public Ptys ptys() {
    return delegate.ptys();
  }

  @Override
  public SandboxFiles files() {
    return delegate.files();
  }

  @Override
  public Liveness probe() throws InterruptedException {
    return delegate.probe();
  }

  @Override
  public Endpoint endpoint(int port) throws InterruptedException {
    return delegate.endpoint(port);
  }

  @Override
  public Checkpoint stop() throws InterruptedException {
    return delegate.stop();
  }

  @Override
  public Checkpoint checkpoint() {
    return delegate.checkpoint();
  }

  @Override
  public Checkpoint detach() throws InterruptedException {
    return delegate.detach();
  }

  @Override
  public void delete() throws InterruptedException {
    delegate.delete();
  }

  @Override
  public void shutdown() throws InterruptedException {
    delegate.shutdown();
  }

  @Override
  public void close() {
    delegate.close();
  }
}
