package io.sandboxspi.cli;

import io.sandboxspi.Command;
import java.util.List;

/** {@code sandbox exec}: one command in a sandbox that has a name (spec S-CLI-07). */
final class ExecCommand extends NamedCommand {
  ExecCommand(Engine engine) {
    super(
        engine,
        "exec",
        "Runs one command in a sandbox; output, input and exit code pass through as with 'run'.",
        "",
        "Put -- before the command: sandbox exec NAME -- CMD...");
    SandboxCliCommand.declareSurroundings(this);
    RunCommand.declareRun(this);
    text("--user", "USER", "Account of the sandbox that the command runs as.");
    words(true, "NAME CMD", "The sandbox, program and arguments.");
  }

  @Override
  public Integer call() throws InterruptedException {
    List<String> words = words(2, Integer.MAX_VALUE);
    Command plain = SandboxCliCommand.configured(this, Command.of(words.subList(1, words.size())));
    Command command = this.<String>value("--user").map(plain::user).orElse(plain);
    return within(words.get(0), (session, guard) -> RunCommand.run(this, session, command, guard));
  }
}
