package io.sandboxspi.remote.modal;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.modal.wire.TunnelData;
import io.sandboxspi.remote.shell.Machine.State;
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
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One sandbox. */
final class ModalBackend implements SandboxBackend {
  private static final Logger LOG = LoggerFactory.getLogger(ModalBackend.class);
  private static final Duration WARM_UP = Duration.ofSeconds(20);

  static final String STATE = "/.sandbox-launches";

  private final ModalRef ref;
  private final Router router;
  private final ShellBackend shell;
  private final Lane lane;
  private volatile List<TunnelData> tunnels;
  private final AtomicBoolean warm = new AtomicBoolean();
  private volatile boolean detached;

  /**
   * Makes no call.
   *
   * @param session names the threads
   * @param tunnels as far as they are known
   */
  ModalBackend(ModalRef ref, String session, Router router, List<TunnelData> tunnels) {
    this.ref = ref;
    this.router = router;
    this.tunnels = List.copyOf(tunnels);
    this.lane = Lane.light("sandbox-" + session + "-modal");
    String state = ref.home() + STATE;
    ModalMachine machine = new ModalMachine(router, lane::execute, state);
    this.shell = new ShellBackend(machine, session, ref.workspace(), PosixState.in(state));
    machine.asking(shell::ask);
  }

  Router router() {
    return router;
  }

  ModalRef modalRef() {
    return ref;
  }

  @Override
  public BackendRef ref() {
    return ref.toRef();
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    if (warm.compareAndSet(false, true)) {
      // The first kill does not wait for a shell then.
      lane.execute(this::warmUp);
    }
    try {
      return shell.launch(request, listener, deadline);
    } catch (SandboxException e) {
      throw explained(e, deadline);
    }
  }

  private void warmUp() {
    try {
      String unused = shell.ask("true", Deadline.after(WARM_UP));
    } catch (RemoteException e) {
      LOG.debug("no shell is kept yet", e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  /** A router that refuses or is silent says not whether there is still a sandbox. */
  private SandboxException explained(SandboxException failure, Deadline deadline)
      throws InterruptedException {
    if (!(failure.getCause() instanceof RemoteException)) {
      return failure;
    }
    try {
      if (router.plane().state(ref.sandbox(), deadline) == State.GONE) {
        return SandboxException.builder(
                ErrorCode.BACKEND_GONE,
                failure.operation(),
                "the sandbox has ended: by itself, or its time is over")
            .cause(failure)
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
      return router.plane().state(ref.sandbox(), deadline) == State.GONE
          ? Liveness.GONE
          : Liveness.RUNNING;
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
    List<TunnelData> known = tunnels;
    try {
      // Those that come with a new sandbox may be a part of them.
      if (known.size() < ref.ports().size()) {
        known = router.plane().tunnels(ref.sandbox(), deadline);
        tunnels = List.copyOf(known);
      }
    } catch (RemoteException e) {
      throw e.as(ErrorCode.PORT_UNAVAILABLE, Operation.ENDPOINT).context("port", port).build();
    }
    return known.stream()
        .filter(tunnel -> tunnel.getContainerPort() == port && !tunnel.getHost().isEmpty())
        .map(
            tunnel ->
                new Endpoint(tunnel.getHost(), tunnel.getPort(), true, java.util.Optional.empty()))
        .findFirst()
        .orElseThrow(
            () ->
                SandboxException.of(
                    ErrorCode.PORT_UNAVAILABLE,
                    Operation.ENDPOINT,
                    "the vendor names no tunnel for port " + port));
  }

  /** Lets go of everything on this side; never needs the sandbox. */
  void close() {
    shell.close();
    router.close();
    lane.retire();
  }

  @Override
  public void detach(Deadline deadline) {
    close();
    detached = true;
  }

  @Override
  public ReleaseOutcome release(Deadline deadline) throws InterruptedException {
    close();
    if (detached || ref.onRelease() == ModalOptions.OnRelease.KEEP) {
      return ReleaseOutcome.DONE;
    }
    try {
      return router.plane().terminate(ref.sandbox(), deadline);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.BACKEND_RELEASE_FAILED, Operation.SHUTDOWN)
          .context("sandbox", ref.sandbox())
          .build();
    }
  }

  @Override
  public String toString() {
    return "ModalBackend[" + ref.sandbox() + "]";
  }
}
