package io.sandboxspi.cli;

import io.sandboxspi.Command;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Option;

/** Environment and directory of a command. */
final class CommandOptions {
  @Option(
      names = "--env",
      paramLabel = "NAME[=VALUE]",
      description = "Variable of the command; without a value it is copied from here. Repeatable.")
  private List<String> environment = new ArrayList<>();

  @Option(
      names = "--workdir",
      paramLabel = "DIRECTORY",
      description = "Directory to start in (default: the workspace).")
  private @Nullable String workdir;

  Command applyTo(Command command) {
    Command changed = workdir == null ? command : command.workdir(workdir);
    for (String variable : environment) {
      int end = variable.indexOf('=');
      changed =
          end >= 0
              ? changed.env(variable.substring(0, end), variable.substring(end + 1))
              : changed.env(variable, copied(variable));
    }
    return changed;
  }

  /** The user's terminal type, unless another is given. */
  Command withTerminalType(Command command) {
    String type = System.getenv("TERM");
    return type == null || command.environment().containsKey("TERM")
        ? command
        : command.env("TERM", type);
  }

  private static String copied(String name) {
    String value = System.getenv(name);
    if (value == null) {
      throw CliFailure.usage(
          "Invalid value for option '--env': '"
              + name
              + "' is not set here; allowed: NAME=VALUE, or the name of a variable that is set");
    }
    return value;
  }
}
