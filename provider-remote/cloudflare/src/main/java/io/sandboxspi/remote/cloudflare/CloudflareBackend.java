package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.ShellBackend;
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
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One sandbox in use. */
final class CloudflareBackend implements SandboxBackend {
  private static final Logger LOG = LoggerFactory.getLogger(CloudflareBackend.class);
  private static final Duration WARM_UP = Duration.ofSeconds(20);

  private final CloudflareRef ref;
  private final Sandbox sandbox;
  private final Lane lane;
  private final ShellBackend shell;
  private final KeepAwake awake;
  private volatile boolean detached;

  /**
   * Makes no call.
   *
   * @param session names the threads
   */
  CloudflareBackend(CloudflareRef ref, String session, Sandbox sandbox) {
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

  /** Starts the shell that kills go through, so that the first kill finds it. */
  void warmUp() {
    lane.execute(
        () -> {
          try {
            String unused = shell.ask(":", Deadline.after(WARM_UP));
          } catch (RemoteException e) {
            LOG.debug("the first question of sandbox {} failed", ref.sandbox(), e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** Keeps it awake by shorter pauses; for tests. */
  KeepAwake awake(Duration pause) {
    return new KeepAwake(sandbox, pause, lane);
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

  /** A failure on the way may mean that the container was stopped. */
  private SandboxException explained(SandboxException failure, Deadline deadline)
      throws InterruptedException {
    if (!(failure.getCause() instanceof RemoteException) || deadline.expired()) {
      return failure;
    }
    try {
      if (sandbox.state(deadline) != Machine.State.GONE) {
        return failure;
      }
    } catch (RemoteException e) {
      failure.addSuppressed(e);
      return failure;
    }
    return SandboxException.builder(
            ErrorCode.BACKEND_GONE,
            failure.operation(),
            "the sandbox's container was stopped, and all in it is lost")
        .cause(failure)
        .context("sandbox", ref.sandbox())
        .build();
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
      return sandbox.state(deadline).liveness();
    } catch (RemoteException e) {
      return Liveness.UNKNOWN;
    }
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

  /** Lets go of everything on this side; never needs the sandbox. */
  void close() {
    awake.close();
    shell.close();
    lane.retire();
  }

  @Override
  public void detach(Deadline deadline) {
    detached = true;
    close();
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    close();
    if (detached || ref.onRelease() == CloudflareOptions.OnRelease.KEEP) {
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
      throw e.as(ErrorCode.BACKEND_RELEASE_FAILED, operation)
          .context("sandbox", sandbox.ref().sandbox())
          .build();
    }
  }

  @Override
  public String toString() {
    return "CloudflareBackend[" + ref.sandbox() + "]";
  }
}
