package io.sandboxspi.remote.blaxel;

import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.util.Optional;
import java.util.UUID;

/**
 * One sandbox of Blaxel. Its process calls have no input, say output in pieces that may be wrong,
 * and forget who asked: so every process runs behind a terminal of its own.
 */
final class BlaxelMachine implements Machine {
  private final String sandbox;
  private final Optional<ControlPlane> plane;
  private final SandboxApi api;
  private final SandboxFileCalls files;
  private final String state;
  private final Lane lane;

  /**
   * Makes no call.
   *
   * @param plane empty for an agent alone
   * @param state a directory in the sandbox for what relays keep
   */
  BlaxelMachine(
      String sandbox, Optional<ControlPlane> plane, SandboxApi api, String state, Lane lane) {
    this.sandbox = sandbox;
    this.plane = plane;
    this.api = api;
    this.files = new SandboxFileCalls(api);
    this.state = state;
    this.lane = lane;
  }

  @Override
  public Running start(Start start, Output output, Deadline deadline) throws InterruptedException {
    // Never one twice: a terminal of a known name is shared.
    String id = "pty-" + UUID.randomUUID().toString().replace("-", "").substring(0, 20);
    String word = UUID.randomUUID().toString();
    Relay relay = new Relay(api, id, word, start, output, lane);
    boolean done = false;
    try {
      relay.open(RelayText.of(start, word, state + "/" + id), deadline);
      done = true;
      return relay;
    } finally {
      if (!done) {
        relay.abandon();
      }
    }
  }

  /** A sandbox in standby wakes when it is used, with all that ran in it. */
  @Override
  public Optional<Condition> condition(Deadline deadline) throws InterruptedException {
    if (plane.isEmpty()) {
      return Optional.empty();
    }
    try {
      Description found = plane.get().describe(sandbox, deadline);
      State state = found.gone() ? State.GONE : found.deployed() ? State.RUNNING : State.PAUSED;
      return Optional.of(new Condition(state, found.status()));
    } catch (RemoteException e) {
      if (Wire.gone(e)) {
        return Optional.of(new Condition(State.GONE, "TERMINATED"));
      }
      throw e;
    }
  }

  @Override
  public InputStream read(String path, Deadline deadline) throws InterruptedException {
    return files.read(path, deadline);
  }

  @Override
  public void write(String path, InputStream content, Deadline deadline)
      throws InterruptedException {
    files.write(path, content, deadline);
  }
}
