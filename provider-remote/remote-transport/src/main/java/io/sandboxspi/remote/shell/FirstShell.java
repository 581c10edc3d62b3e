package io.sandboxspi.remote.shell;

import io.sandboxspi.core.time.Lane;
import io.sandboxspi.spi.Deadline;

/**
 * The kept shell of a sandbox before there is a {@link ShellBackend}: what must be known to make
 * one is asked of the same process that is asked to end launches later. Thread-safe.
 */
public final class FirstShell {
  private static final String SHELL = "/bin/sh";

  private final Machine machine;
  private final Lane lane;
  private final ControlLink link;

  /**
   * Starts nothing yet.
   *
   * @param session names the threads
   */
  public FirstShell(Machine machine, String session) {
    this.machine = machine;
    this.lane = Lane.light("sandbox-" + session + "-remote");
    this.link = new ControlLink(machine, SHELL, "", lane);
  }

  /** Runs a command that is well formed, and answers its output. */
  public String ask(String command, Deadline deadline) throws InterruptedException {
    return link.ask(command, deadline).text();
  }

  /** Lets go of the shell; not once a {@link ShellBackend} has it. */
  public void close() {
    link.close();
    lane.retire();
  }

  Machine machine() {
    return machine;
  }

  Lane lane() {
    return lane;
  }

  ControlLink link() {
    return link;
  }
}
