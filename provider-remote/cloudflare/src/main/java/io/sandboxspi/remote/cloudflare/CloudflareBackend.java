package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.RemoteBackend;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.Set;

/** One sandbox in use. */
final class CloudflareBackend extends RemoteBackend {
  private final CloudflareRef ref;
  private final Sandbox sandbox;
  private final Lane lane;
  private final ShellBackend shell;
  private final KeepAwake awake;

  /**
   * Makes no call.
   *
   * @param session names the threads
   */
  CloudflareBackend(CloudflareRef ref, String session, Sandbox sandbox) {
    super(ref.sandbox());
    this.ref = ref;
    this.sandbox = sandbox;
    this.lane = Lane.light("sandbox-" + session + "-cloudflare");
    CloudflareMachine machine = new CloudflareMachine(sandbox, lane);
    this.shell = new ShellBackend(machine, session, ref.workspace(), PosixState.in(ref.state()));
    machine.asking(shell::ask);
    this.awake = new KeepAwake(sandbox, ref.sleepAfter().dividedBy(3), lane);
    if (ref.keepAlive()) {
      awake.arm();
    }
  }

  /** Keeps it awake by shorter pauses; for tests. */
  KeepAwake awake(Duration pause) {
    return new KeepAwake(sandbox, pause, lane);
  }

  @Override
  protected ShellBackend shell() {
    return shell;
  }

  @Override
  public BackendRef ref() {
    return ref.toRef();
  }

  @Override
  public Set<Integer> ports() {
    return ref.ports();
  }

  @Override
  public Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    try {
      return sandbox.tunnel(port, deadline);
    } catch (RemoteException e) {
      ErrorCode code = e.refusedWith(404) ? ErrorCode.UNSUPPORTED : ErrorCode.PORT_UNAVAILABLE;
      throw e.as(code, Operation.ENDPOINT).context("port", port).build();
    }
  }

  @Override
  protected void close() {
    awake.close();
    shell.close();
    lane.retire();
  }

  @Override
  protected ReleaseOutcome leave(Deadline deadline) throws InterruptedException {
    if (ref.onRelease() == CloudflareOptions.OnRelease.KEEP) {
      return ReleaseOutcome.DONE;
    }
    return delete(sandbox, Operation.SHUTDOWN, deadline);
  }

  /** Deletes it. */
  static ReleaseOutcome delete(Sandbox sandbox, Operation operation, Deadline deadline)
      throws InterruptedException {
    try {
      sandbox.delete(deadline);
      return ReleaseOutcome.DESTROYED;
    } catch (RemoteException e) {
      throw SandboxFailures.release(operation, sandbox.ref().sandbox(), e);
    }
  }
}
