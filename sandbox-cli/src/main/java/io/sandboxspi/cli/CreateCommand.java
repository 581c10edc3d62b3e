package io.sandboxspi.cli;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.snapshot.SnapshotStores;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.UUID;

/** {@code sandbox create}: a sandbox that stays (spec S-CLI-07). */
final class CreateCommand extends NamedCommand {
  private static final String LOCAL = "local";

  CreateCommand(Engine engine) {
    super(engine, "create", "Makes a sandbox that stays, and prints its name.");
    SandboxCliCommand.declareProvider(this);
    text("--name", "NAME", "Its name (default: a new one).");
    text("--snapshot", "STORE", "Where 'stop' saves its workspace: local (default: nowhere).");
  }

  @Override
  public Integer call() throws InterruptedException {
    String name =
        NamedSandboxes.checked(
            this.<String>value("--name")
                .orElseGet(() -> "sandbox-" + UUID.randomUUID().toString().substring(0, 8)));
    String provider = SandboxCliCommand.provider(this);
    String store = this.<String>value("--snapshot").orElse(SnapshotPolicy.NONE);
    SandboxSpec given = SandboxCliCommand.sandbox(this);
    Object unused = SnapshotStores.open(SnapshotPolicy.in(store));
    try (ShutdownGuard guard = ShutdownGuard.open();
        NamedSandboxes.Held held = sandboxes().changing(name)) {
      if (sandboxes().find(name).isPresent()) {
        throw CliFailure.usage(
            "there is a sandbox " + name + " already; rm it, or use another name");
      }
      NamedSandbox sandbox =
          new NamedSandbox(
              name,
              provider,
              options(provider, given.options()),
              store,
              NamedSandbox.State.CREATING,
              Instant.now(),
              "");
      sandboxes().put(sandbox);
      boolean done = false;
      try {
        SandboxSession session = engine().open(provider, sandbox.spec(true));
        try {
          Checkpoint where = session.detach();
          sandboxes().put(sandbox.at(NamedSandbox.State.LIVE, where));
          done = true;
        } finally {
          if (!done) {
            session.delete();
          }
        }
      } finally {
        if (!done) {
          sandboxes().remove(name);
        }
      }
    }
    out().println(name);
    out().flush();
    return ExitCodes.OK;
  }

  /** A workspace of this machine must not be where temporary files are cleaned up. */
  private Map<String, String> options(String provider, Map<String, String> given) {
    Map<String, String> options = new LinkedHashMap<>(given);
    if (provider.equals(LOCAL) && !given.containsKey("workspace")) {
      options.putIfAbsent("base", sandboxes().workspaces().toString());
    }
    return options;
  }
}
