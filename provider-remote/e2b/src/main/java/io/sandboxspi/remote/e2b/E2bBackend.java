package io.sandboxspi.remote.e2b;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.RemoteException;
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
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;

/** One sandbox. */
final class E2bBackend implements SandboxBackend {
  private final E2bRef ref;
  private final ControlPlane controlPlane;
  private final Envd envd;
  private final ShellBackend shell;
  private final LifeKeeper life;
  private final Lane lane;
  private volatile boolean detached;

  /**
   * Makes no call.
   *
   * @param session names the threads
   */
  E2bBackend(
      E2bRef ref,
      String session,
      ControlPlane controlPlane,
      HttpTransport transport,
      Access access) {
    this.ref = ref;
    this.controlPlane = controlPlane;
    this.lane = Lane.light("sandbox-" + session + "-e2b");
    this.envd = new Envd(transport, access, ref.user(), ref.streamKeepAlive(), this::renew);
    Machine machine = new E2bMachine(envd, controlPlane, ref.sandbox(), lane::execute);
    this.shell =
        new ShellBackend(
            machine, session, ref.workspace(), PosixState.in(ref.home() + "/.sandbox-launches"));
    this.life = new LifeKeeper(controlPlane, ref.sandbox(), ref.timeout(), lane::execute);
    if (ref.keepAlive()) {
      life.arm();
    }
  }

  /** The daemon refused: the sandbox is paused, gone, or its token has changed. */
  private Access renew(RemoteException refusal, Deadline deadline) throws InterruptedException {
    return switch (controlPlane.state(ref.sandbox(), deadline)) {
      case RUNNING -> {
        // Behind a gateway's refusal the call may have had its effect.
        if (!refusal.refusedWith(401)) {
          throw refusal;
        }
        yield controlPlane.connect(ref.sandbox(), ref.timeout(), deadline);
      }
      case PAUSED -> {
        if (!ref.resumes()) {
          throw refusal;
        }
        yield controlPlane.connect(ref.sandbox(), ref.timeout(), deadline);
      }
      case GONE ->
          throw RemoteException.refused(
              404, "", "", Optional.empty(), "the sandbox does not exist any more");
    };
  }

  @Override
  public BackendRef ref() {
    return ref.toRef();
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    try {
      return shell.launch(request, listener, deadline);
    } catch (SandboxException e) {
      throw explained(e, deadline);
    }
  }

  /** A refusal of the edge says only that there is nothing that answers. */
  private SandboxException explained(SandboxException failure, Deadline deadline)
      throws InterruptedException {
    boolean known =
        failure.getCause() instanceof RemoteException refusal
            && (refusal.refusedWith(502) || refusal.refusedWith(404));
    if (!known) {
      return failure;
    }
    try {
      Machine.State state = controlPlane.state(ref.sandbox(), deadline);
      if (state != Machine.State.RUNNING) {
        boolean gone = state == Machine.State.GONE;
        return SandboxException.builder(
                gone ? ErrorCode.BACKEND_GONE : ErrorCode.BACKEND_NOT_RUNNING,
                failure.operation(),
                gone ? "the sandbox does not exist any more" : "the sandbox is paused")
            .cause(failure)
            .context("state", state)
            .context("sandbox", ref.sandbox())
            .build();
      }
    } catch (RemoteException e) {
      failure.addSuppressed(e);
    }
    return failure;
  }

  @Override
  public TerminationOutcome kill(LaunchId id, Deadline deadline) throws InterruptedException {
    return shell.kill(id, deadline);
  }

  @Override
  public Map<LaunchId, TerminationOutcome> killAll(List<LaunchId> ids, Deadline deadline)
      throws InterruptedException {
    return shell.killAll(ids, deadline);
  }

  @Override
  public TerminationOutcome killOthers(Deadline deadline) throws InterruptedException {
    return shell.killOthers(deadline);
  }

  @Override
  public BackendFiles files() {
    return shell.files();
  }

  @Override
  public Liveness probe(Deadline deadline) throws InterruptedException {
    try {
      return controlPlane.state(ref.sandbox(), deadline).liveness();
    } catch (RemoteException e) {
      return Liveness.UNKNOWN;
    }
  }

  /** Lets go of everything on this side. */
  void close() {
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
  public void detach(Deadline deadline) {
    close();
    detached = true;
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    close();
    if (detached) {
      return ReleaseOutcome.DONE;
    }
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
      throw e.as(ErrorCode.BACKEND_RELEASE_FAILED, Operation.SHUTDOWN)
          .context("sandbox", ref.sandbox())
          .build();
    }
  }

  @Override
  public String toString() {
    return "E2bBackend[" + ref.sandbox() + "]";
  }
}
