package io.sandboxspi.local.driver.posix;

import java.util.Optional;

/**
 * A started process and our ends of its streams, all non-blocking.
 *
 * @param terminal whether {@code output} is a terminal's master
 * @param output the master, or the pipe of standard output
 * @param error the pipe of standard error; none on a terminal
 * @param input the pipe of standard input; none on a terminal or without input
 */
public record Child(
    int pid, boolean terminal, int output, Optional<Integer> error, Optional<Integer> input) {

  /** A child on a terminal. */
  public static Child onTerminal(int pid, int master) {
    return new Child(pid, true, master, Optional.empty(), Optional.empty());
  }
}
