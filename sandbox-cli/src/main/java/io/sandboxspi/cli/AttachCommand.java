package io.sandboxspi.cli;

import io.sandboxspi.Command;
import java.util.List;

/** {@code sandbox attach}: the user's terminal in a sandbox that has a name (spec S-CLI-07). */
final class AttachCommand extends NamedCommand {
  AttachCommand(Engine engine) {
    super(engine, "attach", "Opens a shell, or the given command, on your terminal in a sandbox.");
    SandboxCliCommand.declareSurroundings(this);
    words(true, "NAME CMD", "The sandbox, program and arguments (default: bash -i or sh -i).");
  }

  @Override
  public Integer call() throws InterruptedException {
    List<String> words = words(1, Integer.MAX_VALUE);
    if (StandardStreams.input() != StandardStreams.Input.TERMINAL) {
      throw CliFailure.usage("attach needs a terminal on standard input; use exec for scripts");
    }
    Command command =
        words.size() == 1
            ? Command.shell(ShellCommand.BEST_SHELL)
            : Command.of(words.subList(1, words.size()));
    Command sized =
        SandboxCliCommand.withTerminalType(SandboxCliCommand.configured(this, command))
            .terminal(ShellCommand.window());
    return within(
        words.get(0),
        (session, guard) ->
            ExitCodes.of(Passthrough.runRaw(session, sized, guard, ShellCommand::window).status()));
  }
}
