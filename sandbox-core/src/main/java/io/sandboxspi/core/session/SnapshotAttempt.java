package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.core.workspace.WorkspaceArchives;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.SnapshotStore;
import java.io.FilterOutputStream;
import java.io.IOException;
import java.io.OutputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicReference;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Saves the workspace once. An attempt that was given up before all was read never becomes a
 * snapshot: the session has gone on, and what it would hold is of no single moment.
 */
final class SnapshotAttempt {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotAttempt.class);

  private enum State {
    READING,
    READ,
    GIVEN_UP
  }

  private final SessionCore core;
  private final SnapshotStore store;
  private final AtomicReference<State> state = new AtomicReference<>(State.READING);

  SnapshotAttempt(SessionCore core, SnapshotStore store) {
    this.core = core;
    this.store = store;
  }

  /** The session goes on. */
  void giveUp() {
    boolean unused = state.compareAndSet(State.READING, State.GIVEN_UP);
  }

  Snapshot run(Deadline deadline) throws InterruptedException {
    Optional<NativeSnapshots> own =
        core.capabilities().contains(Capability.NATIVE_SNAPSHOTS)
            ? core.provider().nativeSnapshots()
            : Optional.empty();
    Snapshot snapshot = own.isPresent() ? takeNative(own.get(), deadline) : archive(deadline);
    core.recovery().saved(snapshot);
    prune(own, deadline);
    return snapshot;
  }

  private Snapshot archive(Deadline deadline) throws InterruptedException {
    SnapshotStore.Draft draft = draft(Snapshot.Kind.ARCHIVE, Map.of());
    return store.save(
        draft,
        out -> {
          String fingerprint =
              WorkspaceArchives.persist(
                      core.backend().files(),
                      ".",
                      core.spec().manifest().ephemeralPaths(),
                      new Guarded(out),
                      deadline)
                  .fingerprint();
          markRead();
          return fingerprint;
        },
        deadline);
  }

  private Snapshot takeNative(NativeSnapshots own, Deadline deadline) throws InterruptedException {
    Map<String, String> data = own.take(core.backend().ref(), deadline);
    boolean done = false;
    try {
      Snapshot snapshot =
          store.save(
              draft(Snapshot.Kind.NATIVE, data),
              out -> {
                markRead();
                return "";
              },
              deadline);
      done = true;
      return snapshot;
    } finally {
      if (!done) {
        own.delete(data, core.clock().deadline(core.spec().timings().release()));
      }
    }
  }

  private SnapshotStore.Draft draft(Snapshot.Kind kind, Map<String, String> data) {
    return new SnapshotStore.Draft(core.recovery().lineage(), core.recovery().next(), kind, data);
  }

  private void markRead() throws IOException {
    if (!state.compareAndSet(State.READING, State.READ)) {
      throw new IOException("the session went on before all was read");
    }
  }

  /** Older snapshots than the policy keeps go; one that cannot be removed is no reason to fail. */
  private void prune(Optional<NativeSnapshots> own, Deadline deadline) throws InterruptedException {
    try {
      List<Snapshot> all = store.list(core.recovery().lineage(), deadline);
      int keep = core.spec().snapshots().keep();
      for (Snapshot old : all.subList(Math.min(keep, all.size()), all.size())) {
        store.delete(old, deadline);
        if (old.kind() == Snapshot.Kind.NATIVE && own.isPresent()) {
          own.get().delete(old.data(), deadline);
        }
      }
    } catch (SandboxException e) {
      LOG.warn("session {}: old snapshots are left", core.id(), e);
    }
  }

  static SandboxException failed(String why) {
    return SandboxException.builder(
            ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT, "no snapshot was taken: " + why)
        .retryable(Retryable.YES)
        .build();
  }

  /** Ends an archive that nobody wants any more. */
  private final class Guarded extends FilterOutputStream {
    Guarded(OutputStream out) {
      super(out);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
      if (state.get() == State.GIVEN_UP) {
        throw new IOException("the session went on before all was read");
      }
      out.write(bytes, offset, length);
    }
  }
}
