package io.sandboxspi.remote.relay;

import io.sandboxspi.TerminalSize;
import io.sandboxspi.core.posix.ShellText;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.shell.Machine;
import io.sandboxspi.remote.shell.Output;
import io.sandboxspi.remote.shell.Running;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.UUID;
import java.util.function.Function;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Starts each process of a sandbox behind a terminal of its own. Thread-safe. */
public final class Relays {
  private static final Logger LOG = LoggerFactory.getLogger(Relays.class);
  private static final Duration FLOW = Duration.ofSeconds(10);
  private static final int TRIES = 3;

  private final Function<String, VendorTerminal> terminals;
  private final String before;
  private final String state;
  private final Lane lane;
  private volatile Asking asking = (command, deadline) -> "";

  /** Runs a command in the sandbox. */
  @FunctionalInterface
  public interface Asking {
    /** Answers its output. */
    String ask(String command, Deadline deadline) throws InterruptedException;
  }

  /**
   * Makes no call.
   *
   * @param terminals a terminal by an id that nobody used; nothing is made yet
   * @param before shell text that runs first and ends in {@code exec}, maybe with a program that
   *     executes its arguments; {@code WORD} in it becomes the relay's word
   * @param state a directory in the sandbox for what relays keep
   */
  public Relays(
      Function<String, VendorTerminal> terminals, String before, String state, Lane lane) {
    this.terminals = terminals;
    this.before = before;
    this.state = state;
    this.lane = lane;
  }

  /** How relays hear that their output was taken. */
  public void asking(Asking value) {
    asking = value;
  }

  /** As {@link Machine#start}. */
  public Running start(Machine.Start start, Output output, Deadline deadline)
      throws InterruptedException {
    // Never one twice: a vendor may give a new terminal the place of the old.
    String id = "sandbox-" + UUID.randomUUID();
    String word = UUID.randomUUID().toString();
    boolean terminal = start.terminal().isPresent();
    boolean kept = kept(start);
    VendorTerminal made = terminals.apply(id);
    // What is asked of a kept shell is short.
    boolean acks = made.takesAnything() && !kept;
    RelayText text = RelayText.of(start, word, state, id, acks, before);
    Room room = !acks ? Room.unlimited() : terminal ? Room.ofTerminal(asking) : Room.acknowledged();
    Relay relay =
        new Relay(
            made,
            id,
            word,
            terminal,
            terminal || kept,
            output,
            lane,
            (mine, pipe) -> acknowledge(mine, state + "/" + id + "." + pipe),
            room);
    boolean done = false;
    try {
      made.make(text.variables(), start.terminal().orElse(TerminalSize.DEFAULT), deadline);
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

  /** Acknowledgements go through a kept shell, which cannot have any itself. */
  static boolean kept(Machine.Start start) {
    return start.argv().size() == 1 && start.terminal().isEmpty() && start.input();
  }

  private void acknowledge(Relay relay, String pipe) {
    String path = ShellText.quote(pipe);
    // Opened for both, so that nobody waits for a relay that has gone.
    String command = "[ ! -p " + path + " ] || echo 1<>" + path;
    lane.execute(
        () -> {
          try {
            acknowledge(relay, command, 1);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        });
  }

  /** A line too many lets a little more come at once; one too few would hold all of it up. */
  private void acknowledge(Relay relay, String command, int made) throws InterruptedException {
    try {
      String unused = asking.ask(command, Deadline.after(FLOW));
    } catch (RemoteException e) {
      if (relay.over()) {
        return;
      }
      if (made == TRIES || e.kind() == Kind.CLOSED) {
        relay.heldUp(new RemoteException(e.kind(), "more output cannot be asked for", e));
      } else {
        LOG.debug("output is held up", e);
        acknowledge(relay, command, made + 1);
      }
    }
  }
}
