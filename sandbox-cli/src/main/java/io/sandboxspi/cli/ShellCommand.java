package io.sandboxspi.cli;

import io.sandboxspi.Command;
import io.sandboxspi.TerminalSize;

/** {@code sandbox shell}: the user's terminal in a fresh sandbox (spec S-CLI-03). */
final class ShellCommand extends SandboxCliCommand {
  static final String BEST_SHELL =
      "if command -v bash >/dev/null 2>&1; then exec bash -i; else exec sh -i; fi";

  ShellCommand(Engine engine) {
    super(engine, "shell", "Opens a shell, or the given command, on your terminal.");
    words(false, "CMD", "Program and arguments (default: bash -i or sh -i).");
  }

  @Override
  public Integer call() throws InterruptedException {
    if (StandardStreams.input() != StandardStreams.Input.TERMINAL) {
      throw CliFailure.usage("shell needs a terminal on standard input; use run for scripts");
    }
    Command command = words().isEmpty() ? Command.shell(BEST_SHELL) : Command.of(words());
    Command sized = withTerminalType(configured(command)).terminal(window());
    try (ShutdownGuard guard = ShutdownGuard.open();
        OpenSandbox sandbox = open()) {
      return ExitCodes.of(
          Passthrough.runRaw(sandbox.session(), sized, guard, ShellCommand::window).status());
    }
  }

  static TerminalSize window() {
    return UserTerminal.size(StandardStreams.IN).orElse(TerminalSize.DEFAULT);
  }
}
