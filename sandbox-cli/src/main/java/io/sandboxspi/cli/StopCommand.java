package io.sandboxspi.cli;

import io.sandboxspi.Checkpoint;

/** {@code sandbox stop}: ends what runs and saves the workspace (spec S-CLI-07). */
final class StopCommand extends NamedCommand {
  StopCommand(Engine engine) {
    super(
        engine,
        "stop",
        "Ends what runs in a sandbox and saves its workspace; it can be used again at once.");
    words(true, "NAME", "The sandbox.");
  }

  @Override
  public Integer call() throws InterruptedException {
    String name = words(1, 1).get(0);
    try (ShutdownGuard guard = ShutdownGuard.open();
        NamedSandboxes.Held held = sandboxes().changing(name)) {
      NamedSandbox sandbox = sandboxes().get(name);
      try (Leaving attached = attach(sandbox, true)) {
        Checkpoint where = attached.session().stop();
        sandboxes().put(sandbox.at(NamedSandbox.State.LIVE, where));
      }
    }
    return ExitCodes.OK;
  }
}
