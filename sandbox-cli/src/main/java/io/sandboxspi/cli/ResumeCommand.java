package io.sandboxspi.cli;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSession;

/** {@code sandbox resume}: makes a sandbox live again (spec S-CLI-07). */
final class ResumeCommand extends NamedCommand {
  ResumeCommand(Engine engine) {
    super(
        engine,
        "resume",
        "Makes a sandbox live again: as it is if its backend lives, else from its snapshot.");
    flag("--restore", "Puts the workspace back to its last snapshot also if the backend lives.");
    words(true, "NAME", "The sandbox.");
  }

  @Override
  public Integer call() throws InterruptedException {
    String name = words(1, 1).get(0);
    try (ShutdownGuard guard = ShutdownGuard.open();
        NamedSandboxes.Held held = sandboxes().changing(name)) {
      NamedSandbox sandbox = sandboxes().get(name);
      Checkpoint before = where(sandbox);
      SandboxSession session =
          has("--restore")
              ? engine().restore(before, sandbox.spec(true))
              : engine().resume(before, sandbox.spec(true));
      Checkpoint now = session.detach();
      // The backend may be another one now; the snapshot to go back to is the same.
      Checkpoint where =
          Checkpoint.of(before.provider(), before.lineage(), before.oldest())
              .backend(session.backend());
      sandboxes()
          .put(
              sandbox.at(
                  NamedSandbox.State.LIVE, now.snapshot().map(where::snapshot).orElse(where)));
    }
    return ExitCodes.OK;
  }
}
