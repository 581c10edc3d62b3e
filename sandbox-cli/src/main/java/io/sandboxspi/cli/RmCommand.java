package io.sandboxspi.cli;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.Snapshot;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.Sandboxes;
import io.sandboxspi.core.snapshot.SnapshotStores;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.SnapshotStore;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** {@code sandbox rm}: removes a sandbox (spec S-CLI-07). */
final class RmCommand extends NamedCommand {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  RmCommand(Engine engine) {
    super(engine, "rm", "Removes sandboxes with all that is in them, and their snapshots.");
    flag("--keep-snapshot", "Keeps the snapshots: 'resume' brings the last one back.");
    words(true, "NAME", "The sandboxes.");
  }

  @Override
  public Integer call() throws InterruptedException {
    boolean keep = has("--keep-snapshot");
    for (String name : words(1, Integer.MAX_VALUE)) {
      try (ShutdownGuard guard = ShutdownGuard.open();
          NamedSandboxes.Held held = sandboxes().changing(name)) {
        NamedSandbox sandbox = sandboxes().get(name);
        Optional<Checkpoint> where = sandbox.where();
        if (keep) {
          keepSnapshot(sandbox);
        } else {
          if (where.isPresent()) {
            removeBackend(sandbox, where.get());
            removeSnapshots(sandbox, where.get());
          }
          sandboxes().remove(name);
        }
      }
    }
    return ExitCodes.OK;
  }

  private void keepSnapshot(NamedSandbox sandbox) throws InterruptedException {
    Checkpoint where = where(sandbox);
    boolean saved =
        SnapshotStores.open(SnapshotPolicy.in(sandbox.store()))
            .map(store -> list(store, where))
            .map(all -> all.stream().anyMatch(each -> each.sequence() >= where.oldest()))
            .orElse(false);
    if (!saved) {
      throw CliFailure.sandbox(
          "sandbox "
              + sandbox.name()
              + " has no snapshot to keep; create it with --snapshot, and stop it",
          null);
    }
    removeBackend(sandbox, where);
    Checkpoint without = Checkpoint.of(where.provider(), where.lineage(), where.oldest());
    sandboxes()
        .put(
            sandbox.at(
                NamedSandbox.State.SAVED, where.snapshot().map(without::snapshot).orElse(without)));
  }

  private static List<Snapshot> list(SnapshotStore store, Checkpoint where) {
    try {
      return store.list(where.lineage(), Deadline.after(LIMIT));
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      throw CliFailure.quiet(ExitCodes.INTERRUPTED, "interrupted");
    }
  }

  /** One that is gone is a success. */
  private void removeBackend(NamedSandbox sandbox, Checkpoint where) throws InterruptedException {
    if (where.backend().isEmpty()) {
      return;
    }
    Checkpoint live =
        Checkpoint.of(where.provider(), where.lineage(), where.oldest())
            .backend(where.backend().get());
    try {
      SandboxSession session = engine().resume(live, sandbox.spec(false));
      session.delete();
    } catch (SandboxException e) {
      if (e.code() != ErrorCode.SNAPSHOT_NOT_FOUND) {
        throw e;
      }
    }
  }

  private static void removeSnapshots(NamedSandbox sandbox, Checkpoint where)
      throws InterruptedException {
    Optional<SnapshotStore> store = SnapshotStores.open(SnapshotPolicy.in(sandbox.store()));
    if (store.isPresent()) {
      for (Snapshot snapshot : list(store.get(), where)) {
        if (snapshot.kind() == Snapshot.Kind.NATIVE) {
          own(sandbox, where).delete(snapshot.data(), Deadline.after(LIMIT));
        }
        store.get().delete(snapshot, Deadline.after(LIMIT));
      }
    }
  }

  /** The provider's own, which the store only names. */
  private static NativeSnapshots own(NamedSandbox sandbox, Checkpoint where) {
    return Sandboxes.provider(where.provider())
        .nativeSnapshots()
        .orElseThrow(
            () ->
                CliFailure.sandbox(
                    "snapshots of sandbox "
                        + sandbox.name()
                        + " were taken by provider "
                        + where.provider()
                        + " itself, which takes none as it is set up now; set it up as it was",
                    null));
  }
}
