package io.sandboxspi.remote.daytona;

import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.relay.Relays;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.util.Optional;

/**
 * One sandbox of Daytona. Its sessions join lines and lose bytes, and its one-shot commands have no
 * streams: so every process runs behind a terminal of its own.
 */
final class DaytonaMachine implements Machine {
  private final String sandbox;
  private final Optional<ControlPlane> plane;
  private final Toolbox toolbox;
  private final Relays relays;

  /**
   * Makes no call.
   *
   * @param plane empty for a daemon alone
   * @param state a directory in the sandbox for what relays keep
   */
  DaytonaMachine(
      String sandbox, Optional<ControlPlane> plane, Toolbox toolbox, String state, Lane lane) {
    this.sandbox = sandbox;
    this.plane = plane;
    this.toolbox = toolbox;
    this.relays = new Relays(id -> new DaytonaTerminal(toolbox, id), "exec", state, lane);
  }

  /** How relays hear that their output was taken. */
  void asking(Relays.Asking value) {
    relays.asking(value);
  }

  @Override
  public Running start(Start start, Output output, Deadline deadline) throws InterruptedException {
    return relays.start(start, output, deadline);
  }

  @Override
  public Optional<Condition> condition(Deadline deadline) throws InterruptedException {
    if (plane.isEmpty()) {
      return Optional.empty();
    }
    try {
      Description found = plane.get().describe(sandbox, deadline);
      State state =
          found.gone()
              ? State.GONE
              : found.stopped() ? State.STOPPED : found.started() ? State.RUNNING : State.PAUSED;
      return Optional.of(new Condition(state, found.state()));
    } catch (RemoteException e) {
      if (e.said(404)) {
        return Optional.of(new Condition(State.GONE, "destroyed"));
      }
      throw e;
    }
  }

  @Override
  public boolean inPlace() {
    return true;
  }

  @Override
  public InputStream read(String path, Deadline deadline) throws InterruptedException {
    return toolbox.download(path, deadline);
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    toolbox.upload(path, content, deadline);
  }
}
