package io.sandboxspi.cli;

import io.sandboxspi.Command;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.TerminalSize;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Callable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Parameters;

/** {@code sandbox shell}: the user's terminal in a fresh sandbox (spec S-CLI-03). */
@picocli.CommandLine.Command(
    name = "shell",
    description = "Opens a shell, or the given command, on your terminal.")
final class ShellCommand implements Callable<Integer> {
  private static final String BEST_SHELL =
      "if command -v bash >/dev/null 2>&1; then exec bash -i; else exec sh -i; fi";

  private final Engine engine;

  @Mixin private TargetOptions target = new TargetOptions();
  @Mixin private CommandOptions options = new CommandOptions();

  @Parameters(
      arity = "0..*",
      paramLabel = "CMD",
      description = "Program and arguments (default: bash -i or sh -i).")
  private List<String> argv = new ArrayList<>();

  ShellCommand(Engine engine) {
    this.engine = engine;
  }

  @Override
  public Integer call() throws InterruptedException {
    if (StandardStreams.input() != StandardStreams.Input.TERMINAL) {
      throw CliFailure.usage("shell needs a terminal on standard input; use run for scripts");
    }
    Command command = argv.isEmpty() ? Command.shell(BEST_SHELL) : Command.of(argv);
    Command onTerminal = options.withTerminalType(options.applyTo(command)).terminal(window());
    try (ShutdownGuard guard = ShutdownGuard.open();
        SandboxSession session = engine.open(target.provider(), target.spec())) {
      return ExitCodes.of(
          Passthrough.runRaw(session, onTerminal, guard, ShellCommand::window).status());
    }
  }

  private static TerminalSize window() {
    return UserTerminal.size(StandardStreams.IN).orElse(TerminalSize.DEFAULT);
  }
}
