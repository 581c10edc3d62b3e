package io.sandboxspi.remote.daytona;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
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
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One sandbox in use. */
final class DaytonaBackend implements SandboxBackend {
  private static final Logger LOG = LoggerFactory.getLogger(DaytonaBackend.class);
  private static final Duration TOUCH = Duration.ofSeconds(10);

  private final BackendRef ref;
  private final String sandbox;
  private final Optional<ControlPlane> plane;
  private final DaytonaOptions.OnRelease onRelease;
  private final Lane lane;
  private final ShellBackend shell;
  private volatile Registration nextTouch = () -> {};
  private volatile boolean closed;
  private volatile boolean detached;

  /**
   * Makes no call.
   *
   * @param home of the user that processes belong to
   */
  DaytonaBackend(
      BackendRef ref,
      String session,
      String sandbox,
      Optional<ControlPlane> plane,
      Toolbox toolbox,
      String home,
      String workspace,
      DaytonaOptions.OnRelease onRelease) {
    this.ref = ref;
    this.sandbox = sandbox;
    this.plane = plane;
    this.onRelease = onRelease;
    this.lane = Lane.light("sandbox-" + session + "-daytona");
    String state = home + "/.sandbox-spi";
    DaytonaMachine machine = new DaytonaMachine(sandbox, plane, toolbox, state + "-relays", lane);
    this.shell = new ShellBackend(machine, session, workspace, PosixState.in(state));
    machine.asking(shell::ask);
  }

  /** Makes the workspace, and makes sure that the sandbox can do what is needed. */
  void greet(Deadline deadline) throws InterruptedException {
    String workspace = ShellText.quote(shell.files().workspace());
    String answer =
        shell.ask(
            "mkdir -p " + workspace + " && cd " + workspace + " && cd / && echo fine", deadline);
    if (!answer.equals("fine\n")) {
      throw SandboxException.of(
          ErrorCode.CREATE_FAILED,
          Operation.CREATE,
          "the workspace " + workspace + " cannot be made");
    }
  }

  /** Tells the vendor from time to time that the sandbox is in use. */
  void keepAlive(Optional<Duration> every) {
    if (every.isPresent() && plane.isPresent() && !closed) {
      nextTouch =
          EngineClock.system()
              .schedule(
                  every.get(),
                  () -> {
                    lane.execute(this::touch);
                    keepAlive(every);
                  });
    }
  }

  private void touch() {
    try {
      if (!closed) {
        plane.orElseThrow().touch(sandbox, Deadline.after(TOUCH));
      }
    } catch (RemoteException e) {
      LOG.warn("the sandbox may be stopped while it is in use: {}", e.getMessage());
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    }
  }

  @Override
  public BackendRef ref() {
    return ref;
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

  /** A refusal of the proxy says only that there is nothing that answers. */
  private SandboxException explained(SandboxException failure, Deadline deadline)
      throws InterruptedException {
    boolean proxy =
        failure.getCause() instanceof RemoteException refusal
            && (refusal.refusedWith(400) || refusal.refusedWith(404) || refusal.refusedWith(502));
    if (!proxy || plane.isEmpty()) {
      return failure;
    }
    String state;
    try {
      state = plane.get().describe(sandbox, deadline).state();
    } catch (RemoteException e) {
      if (!e.refusedWith(404)) {
        failure.addSuppressed(e);
        return failure;
      }
      state = "destroyed";
    }
    if (state.equals("started")) {
      return failure;
    }
    boolean gone = state.equals("destroyed");
    return SandboxException.builder(
            gone ? ErrorCode.BACKEND_GONE : ErrorCode.BACKEND_NOT_RUNNING,
            failure.operation(),
            gone ? "the sandbox does not exist any more" : "the sandbox is " + state)
        .cause(failure)
        .context("state", state)
        .context("sandbox", sandbox)
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
      if (plane.isEmpty()) {
        return shell.ask("echo fine", deadline).equals("fine\n")
            ? Liveness.RUNNING
            : Liveness.UNKNOWN;
      }
      Description found = plane.get().describe(sandbox, deadline);
      return found.gone() ? Liveness.GONE : found.started() ? Liveness.RUNNING : Liveness.UNKNOWN;
    } catch (RemoteException e) {
      return e.refusedWith(404) ? Liveness.GONE : Liveness.UNKNOWN;
    }
  }

  /** Lets go of everything on this side; never needs the sandbox. */
  void close() {
    closed = true;
    nextTouch.close();
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
    if (plane.isEmpty() || detached) {
      return ReleaseOutcome.DONE;
    }
    try {
      return new Release(plane.get(), sandbox).release(onRelease, deadline);
    } catch (RemoteException e) {
      if (e.refusedWith(404)) {
        return ReleaseOutcome.ALREADY_GONE;
      }
      throw failed(Operation.SHUTDOWN, "released", e);
    }
  }

  static SandboxException failed(Operation operation, String what, RemoteException e) {
    return SandboxException.builder(
            ErrorCode.BACKEND_RELEASE_FAILED,
            operation,
            "the sandbox was not " + what + ": " + e.getMessage())
        .cause(e)
        .retryable(e.retryable() == Retryable.NO ? Retryable.NO : Retryable.YES)
        .build();
  }

  @Override
  public String toString() {
    return "DaytonaBackend[" + sandbox + "]";
  }
}
