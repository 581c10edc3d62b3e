package io.sandboxspi.remote.e2b;

import io.sandboxspi.Endpoint;
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
import java.util.Optional;
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
  protected Optional<Condition> condition(Deadline deadline) throws InterruptedException {
    return Optional.of(Condition.of(controlPlane.state(ref.sandbox(), deadline)));
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

  @Override
  public Endpoint endpoint(int port, Deadline deadline) {
    return envd.access().endpoint(port);
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
