package io.sandboxspi.cli;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSpec;
import java.util.List;
import picocli.CommandLine.Model.OptionSpec;

/** A command that runs something in a fresh sandbox. */
abstract class SandboxCliCommand extends CliCommand {
  private final Engine engine;

  SandboxCliCommand(Engine engine, String name, String description, String... footer) {
    super(name, description, footer);
    this.engine = engine;
    declareProvider(this);
    declareSandbox(this);
    text("--user", "USER", "User in the sandbox, short for --option user=USER.");
    flag("--keep", "Lets go of the sandbox without removing it, and names it.");
    declareSurroundings(this);
  }

  /** Declares the options that say where and with what a command runs. */
  static void declareSurroundings(CliCommand command) {
    command.texts(
        "--env",
        "NAME[=VALUE]",
        "Variable of the command; without a value it is copied from here. Repeatable.");
    command.text("--workdir", "DIRECTORY", "Directory to start in (default: the workspace).");
  }

  /** Declares the options that name a provider. */
  static void declareProvider(CliCommand command) {
    command.text("--provider", "NAME", "Provider of the sandbox (default: local).");
    command.option(
        OptionSpec.builder("--option")
            .type(List.class)
            .auxiliaryTypes(String.class)
            .paramLabel("NAME=VALUE")
            .description("Option of the provider; repeatable."));
  }

  /** Declares what says which sandbox is made. */
  static void declareSandbox(CliCommand command) {
    command.text("--image", "IMAGE", "Image of the sandbox, short for --option image=IMAGE.");
  }

  static String provider(CliCommand command) {
    return command.<String>value("--provider").orElse("local");
  }

  static SandboxSpec sandbox(CliCommand command) {
    SandboxSpec.Builder spec = SandboxSpec.builder();
    for (String name : List.of("image", "user")) {
      command.<String>value("--" + name).ifPresent(value -> spec.option(name, value));
    }
    for (String option : command.values("--option")) {
      int end = option.indexOf('=');
      if (end <= 0) {
        throw CliFailure.usage(
            "Invalid value for option '--option': '" + option + "'; allowed: NAME=VALUE");
      }
      spec.option(option.substring(0, end), option.substring(end + 1));
    }
    return spec.build();
  }

  final OpenSandbox open() throws InterruptedException {
    return new OpenSandbox(
        engine.open(provider(this), sandbox(this)), has("--keep"), spec().commandLine().getErr());
  }

  /** The command with the environment and directory that the user asked for. */
  final Command configured(Command command) {
    return configured(this, command);
  }

  static Command configured(CliCommand from, Command command) {
    Command changed = from.<String>value("--workdir").map(command::workdir).orElse(command);
    for (String variable : from.values("--env")) {
      int end = variable.indexOf('=');
      changed =
          end >= 0
              ? changed.env(variable.substring(0, end), variable.substring(end + 1))
              : changed.env(variable, copied(variable));
    }
    return changed;
  }

  /** The command with the type of the user's terminal, unless another is given. */
  static Command withTerminalType(Command command) {
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
              + "' is not set here; allowed: NAME=VALUE, or a variable that is set");
    }
    return value;
  }
}
