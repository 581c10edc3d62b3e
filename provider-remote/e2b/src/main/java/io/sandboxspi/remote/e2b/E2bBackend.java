package io.sandboxspi.remote.e2b;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.RemoteBackend;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import java.util.Set;

/** One sandbox. */
final class E2bBackend extends RemoteBackend {
  private final E2bRef ref;
  private final ControlPlane controlPlane;
  private final Envd envd;
  private final ShellBackend shell;
  private final LifeKeeper life;
  private final Lane lane;

  /** Makes no call. */
  E2bBackend(E2bRef ref, Reach reach) {
    super(ref.sandbox());
    this.ref = ref;
    this.controlPlane = reach.controlPlane();
    this.lane = reach.lane();
    this.envd = reach.envd();
    this.shell =
        new ShellBackend(
            reach.shell(),
            reach.session(),
            ref.workspace(),
            PosixState.in(ref.home() + "/.sandbox-launches"));
    this.life = new LifeKeeper(controlPlane, ref.sandbox(), ref.timeout(), lane::execute);
    if (ref.keepAlive()) {
      life.arm();
    }
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
  protected void close() {
    life.close();
    shell.close();
    lane.retire();
  }

  @Override
  public Set<Integer> ports() {
    return ref.ports();
  }

  /** A sandbox that its use wakes is woken: an address of one that is paused leads nowhere. */
  @Override
  public Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    try {
      return switch (controlPlane.state(ref.sandbox(), deadline)) {
        case RUNNING -> envd.access().endpoint(port);
        case PAUSED, STOPPED -> {
          if (!ref.resumes()) {
            throw unreached(ErrorCode.BACKEND_NOT_RUNNING, "is paused");
          }
          yield controlPlane.connect(ref.sandbox(), ref.timeout(), deadline).endpoint(port);
        }
        case GONE -> throw unreached(ErrorCode.BACKEND_GONE, "does not exist any more");
      };
    } catch (RemoteException e) {
      throw e.as(ErrorCode.PORT_UNAVAILABLE, Operation.ENDPOINT).context("port", port).build();
    }
  }

  private SandboxException unreached(ErrorCode code, String how) {
    return SandboxException.builder(code, Operation.ENDPOINT, "the sandbox " + how)
        .context("sandbox", ref.sandbox())
        .build();
  }

  /** Nothing that this side keeps runs in the sandbox when this returns. */
  void rest(Deadline deadline) throws InterruptedException {
    shell.rest(deadline);
  }

  @Override
  protected ReleaseOutcome leave(Deadline deadline) throws InterruptedException {
    try {
      return switch (ref.onRelease()) {
        case KEEP -> ReleaseOutcome.DONE;
        case PAUSE ->
            controlPlane.pause(ref.sandbox(), deadline)
                ? ReleaseOutcome.DONE
                : ReleaseOutcome.ALREADY_GONE;
        case KILL ->
            controlPlane.remove(ref.sandbox(), deadline)
                ? ReleaseOutcome.DESTROYED
                : ReleaseOutcome.ALREADY_GONE;
      };
    } catch (RemoteException e) {
      throw SandboxFailures.release(Operation.SHUTDOWN, ref.sandbox(), e);
    }
  }
}
