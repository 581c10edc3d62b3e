package io.sandboxspi.local.driver;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What to start. Text reaches the process as UTF-8. {@code toString} shows the program and the
 * names of variables only.
 *
 * @param argv program and arguments; a program without slash is looked for in the PATH of {@code
 *     environment}
 * @param environment the whole environment of the process
 * @param directory absolute path of the working directory
 * @param terminal the size of the controlling terminal; empty for pipes
 * @param openInput without a terminal: whether input is a pipe; otherwise it is the null device
 */
public record SpawnRequest(
    List<String> argv,
    Map<String, String> environment,
    String directory,
    Optional<WindowSize> terminal,
    boolean openInput) {

  /** Copies the collections. */
  public SpawnRequest {
    argv = List.copyOf(argv);
    environment = Map.copyOf(environment);
  }

  /**
   * Refuses what no operating system can take: empty names, NUL characters, a relative directory.
   *
   * @throws SpawnException of kind {@link SpawnException.Kind#INVALID}
   */
  public void check() throws SpawnException {
    if (argv.isEmpty() || argv.get(0).isEmpty()) {
      throw SpawnException.invalid("the program is empty");
    }
    for (String argument : argv) {
      if (argument.indexOf('\0') >= 0) {
        throw SpawnException.invalid("an argument holds a NUL character");
      }
    }
    for (Map.Entry<String, String> variable : environment.entrySet()) {
      String name = variable.getKey();
      if (name.isEmpty() || name.indexOf('=') >= 0 || name.indexOf('\0') >= 0) {
        throw SpawnException.invalid("a variable's name is empty or holds '=' or NUL");
      }
      if (variable.getValue().indexOf('\0') >= 0) {
        throw SpawnException.invalid("the value of variable " + name + " holds a NUL character");
      }
    }
    if (!directory.startsWith("/") || directory.indexOf('\0') >= 0) {
      throw SpawnException.invalid("the working directory is not an absolute path");
    }
  }

  @Override
  public String toString() {
    return "SpawnRequest[program="
        + (argv.isEmpty() ? "" : argv.get(0))
        + ", environment="
        + environment.keySet()
        + ", terminal="
        + terminal
        + "]";
  }
}
