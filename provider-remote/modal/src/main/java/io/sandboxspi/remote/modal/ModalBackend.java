package io.sandboxspi.remote.modal;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.modal.wire.TunnelData;
import io.sandboxspi.remote.shell.RemoteBackend;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.ProcessListener;
import io.sandboxspi.spi.ReleaseOutcome;
import io.sandboxspi.spi.SandboxProcess;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;

/** One sandbox. */
final class ModalBackend extends RemoteBackend {
  static final String STATE = "/.sandbox-launches";

  private final ModalRef ref;
  private final Router router;
  private final ShellBackend shell;
  private final Lane lane;
  private volatile List<TunnelData> tunnels;
  private final AtomicBoolean warm = new AtomicBoolean();

  /**
   * Makes no call.
   *
   * @param session names the threads
   * @param tunnels as far as they are known
   */
  ModalBackend(ModalRef ref, String session, Router router, List<TunnelData> tunnels) {
    super(ref.sandbox());
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
  protected ShellBackend shell() {
    return shell;
  }

  @Override
  public SandboxProcess launch(LaunchRequest request, ProcessListener listener, Deadline deadline)
      throws InterruptedException {
    if (warm.compareAndSet(false, true)) {
      // The first kill does not wait for a shell then.
      warmUp();
    }
    return super.launch(request, listener, deadline);
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
        .map(tunnel -> new Endpoint(tunnel.getHost(), tunnel.getPort(), true, Optional.empty()))
        .findFirst()
        .orElseThrow(
            () ->
                SandboxException.of(
                    ErrorCode.PORT_UNAVAILABLE,
                    Operation.ENDPOINT,
                    "the vendor names no tunnel for port " + port));
  }

  @Override
  protected void close() {
    shell.close();
    router.close();
    lane.retire();
  }

  @Override
  protected ReleaseOutcome leave(Deadline deadline) throws InterruptedException {
    if (ref.onRelease() == ModalOptions.OnRelease.KEEP) {
      return ReleaseOutcome.DONE;
    }
    try {
      return router.plane().terminate(ref.sandbox(), deadline);
    } catch (RemoteException e) {
      throw SandboxFailures.release(Operation.SHUTDOWN, ref.sandbox(), e);
    }
  }
}
