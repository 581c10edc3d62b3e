package io.sandboxspi.remote.daytona;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One sandbox of Daytona. Its sessions join lines and lose bytes, and its one-shot commands have no
 * streams: so every process runs behind a terminal of its own.
 */
final class DaytonaMachine implements Machine {
  private static final Logger LOG = LoggerFactory.getLogger(DaytonaMachine.class);
  private static final Duration FLOW = Duration.ofSeconds(10);

  private final String sandbox;
  private final Optional<ControlPlane> plane;
  private final Toolbox toolbox;
  private final String state;
  private final Lane lane;
  private volatile Asking asking = (command, deadline) -> "";

  /** Runs a command in the sandbox. */
  @FunctionalInterface
  interface Asking {
    String ask(String command, Deadline deadline) throws InterruptedException;
  }

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
    this.state = state;
    this.lane = lane;
  }

  /** How relays hear that their output was taken. */
  void asking(Asking value) {
    asking = value;
  }

  @Override
  public Running start(Start start, Output output, Deadline deadline) throws InterruptedException {
    // Never one twice: the daemon may drop a new terminal in place of the old.
    String id = "sandbox-" + UUID.randomUUID();
    String word = UUID.randomUUID().toString();
    boolean terminal = start.terminal().isPresent();
    // Acknowledgements go through a kept shell, which cannot have any itself.
    boolean kept = start.argv().size() == 1;
    String directory = state + "/" + id;
    RelayText text = RelayText.of(start, word, directory, !kept);
    Relay relay =
        new Relay(
            toolbox,
            id,
            word,
            terminal,
            output,
            lane,
            pipe -> {
              if (!kept) {
                acknowledge(directory + "/" + pipe);
              }
            });
    boolean done = false;
    try {
      TerminalSize size = start.terminal().orElse(TerminalSize.DEFAULT);
      toolbox.makePty(id, text.variables(), size, deadline);
      relay.open(text.line(), deadline);
      done = true;
      return relay;
    } finally {
      if (!done) {
        // Also when its answer was lost: the id is ours.
        relay.abandon();
      }
    }
  }

  private void acknowledge(String pipe) {
    String path = ShellText.quote(pipe);
    lane.execute(
        () -> {
          try {
            // Opened for both, so that nobody waits for a relay that has gone.
            String unused =
                asking.ask("[ ! -p " + path + " ] || echo 1<>" + path, Deadline.after(FLOW));
          } catch (RemoteException e) {
            LOG.debug("output is held up", e);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  @Override
  public State state(Deadline deadline) throws InterruptedException {
    if (plane.isEmpty()) {
      return State.RUNNING;
    }
    try {
      Description found = plane.get().describe(sandbox, deadline);
      // What ran in one that was stopped is lost.
      return found.gone() || found.stopped()
          ? State.GONE
          : found.started() ? State.RUNNING : State.PAUSED;
    } catch (RemoteException e) {
      if (e.refusedWith(404)) {
        return State.GONE;
      }
      throw e;
    }
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
