package io.sandboxspi.remote.daytona;

import io.sandboxspi.Endpoint;
import io.sandboxspi.Operation;
import io.sandboxspi.Registration;
import io.sandboxspi.core.posix.PosixState;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.RemoteBackend;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.shell.ShellBackend;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** One sandbox in use. */
final class DaytonaBackend extends RemoteBackend {
  private static final Logger LOG = LoggerFactory.getLogger(DaytonaBackend.class);
  private static final Duration TOUCH = Duration.ofSeconds(10);

  private final BackendRef ref;
  private final String sandbox;
  private final Optional<ControlPlane> plane;
  private final Toolbox toolbox;
  private final Ports ports;
  private final DaytonaOptions.OnRelease onRelease;
  private final Lane lane;
  private final ShellBackend shell;
  private volatile Registration nextTouch = () -> {};
  private volatile boolean closed;

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
      Ports ports,
      DaytonaOptions.OnRelease onRelease) {
    super(sandbox);
    this.ref = ref;
    this.sandbox = sandbox;
    this.plane = plane;
    this.toolbox = toolbox;
    this.ports = ports;
    this.onRelease = onRelease;
    this.lane = Lane.light("sandbox-" + session + "-daytona");
    String state = home + "/.sandbox-spi";
    DaytonaMachine machine = new DaytonaMachine(sandbox, plane, toolbox, state + "-relays", lane);
    this.shell = new ShellBackend(machine, session, workspace, PosixState.in(state));
    machine.asking(shell::ask);
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
  protected ShellBackend shell() {
    return shell;
  }

  @Override
  public BackendRef ref() {
    return ref;
  }

  @Override
  public Set<Integer> ports() {
    return ports.numbers();
  }

  @Override
  public Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    return plane.isPresent()
        ? new Previews(plane.get(), sandbox, ports).endpoint(port, deadline)
        : Endpoint.plain(toolbox.host(), port);
  }

  @Override
  protected void close() {
    closed = true;
    nextTouch.close();
    shell.close();
    lane.retire();
  }

  @Override
  protected ReleaseOutcome leave(Deadline deadline) throws InterruptedException {
    if (plane.isEmpty()) {
      return ReleaseOutcome.DONE;
    }
    try {
      return new Release(plane.get(), sandbox).release(onRelease, deadline);
    } catch (RemoteException e) {
      if (e.said(404)) {
        return ReleaseOutcome.ALREADY_GONE;
      }
      throw SandboxFailures.release(Operation.SHUTDOWN, sandbox, e);
    }
  }
}
