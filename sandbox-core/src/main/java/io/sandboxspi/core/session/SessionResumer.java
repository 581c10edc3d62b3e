package io.sandboxspi.core.session;

import io.sandboxspi.ArchiveLimits;
import io.sandboxspi.Capability;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.core.snapshot.SnapshotStores;
import io.sandboxspi.core.time.Caller;
import io.sandboxspi.core.workspace.WorkspaceArchives;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.SandboxBackend;
import io.sandboxspi.spi.SnapshotStore;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Opens a session from a checkpoint (spec S-RESUME-01 to S-RESUME-04): on the backend while that
 * lives; from a snapshot only when it is proven gone; not at all when neither is known.
 */
final class SessionResumer {
  private static final Logger LOG = LoggerFactory.getLogger(SessionResumer.class);
  private static final Duration LOOK = Duration.ofSeconds(30);

  private final SessionOpener opener;
  private final Checkpoint checkpoint;
  private final Optional<SnapshotStore> store;

  private SessionResumer(SessionOpener opener, Checkpoint checkpoint) {
    this.opener = opener;
    this.checkpoint = checkpoint;
    this.store =
        SnapshotStores.open(opener.spec().snapshots())
            .or(
                () ->
                    checkpoint
                        .snapshot()
                        .map(known -> SnapshotStores.open(known.store(), java.util.Map.of())));
  }

  /**
   * Resumes.
   *
   * @param back whether the workspace is put back to the checkpoint's snapshot also if the backend
   *     lives
   */
  static SessionCore resume(SessionOpener opener, Checkpoint checkpoint, boolean back)
      throws InterruptedException {
    if (!checkpoint.provider().equals(opener.provider().name())) {
      throw SandboxException.builder(
              ErrorCode.CHECKPOINT_FOREIGN,
              Operation.RESUME,
              "the checkpoint is of provider "
                  + checkpoint.provider()
                  + ", not of "
                  + opener.provider().name())
          .build();
    }
    LiveLineages.check(checkpoint.lineage(), Operation.RESUME);
    SessionResumer resumer = new SessionResumer(opener, checkpoint);
    return opener.core(
        Operation.RESUME, checkpoint.lineage(), caller -> resumer.source(caller, back));
  }

  private SessionOpener.Source source(Caller caller, boolean back) throws InterruptedException {
    List<Snapshot> snapshots = snapshots(caller);
    long newest =
        Math.max(
            snapshots.isEmpty() ? 0 : snapshots.get(0).sequence(),
            checkpoint.snapshot().map(Snapshot::sequence).orElse(0L));
    Optional<SnapshotStore> saving = opener.spec().snapshots().enabled() ? store : Optional.empty();
    Recovery recovery =
        new Recovery(checkpoint.lineage(), saving, Math.max(newest, checkpoint.oldest() - 1));
    Optional<SandboxBackend> live = attached(caller);
    if (live.isEmpty()) {
      Snapshot chosen = choose(snapshots);
      SandboxBackend made = replacement(caller, chosen);
      recovery.known(chosen);
      return new SessionOpener.Source(made, recovery, true);
    }
    if (back) {
      putBack(caller, live.get(), choose(snapshots));
    }
    snapshots.stream().findFirst().ifPresent(recovery::known);
    return new SessionOpener.Source(live.get(), recovery, false);
  }

  private List<Snapshot> snapshots(Caller caller) throws InterruptedException {
    if (store.isEmpty()) {
      return List.of();
    }
    return opener.within(
        caller,
        LOOK,
        checkpoint.lineage(),
        store.get()::list,
        Operation.RESUME,
        late -> LOG.debug("snapshots were listed late"),
        "a list of snapshots");
  }

  /** The backend if it lives; empty only if it is proven gone. */
  private Optional<SandboxBackend> attached(Caller caller) throws InterruptedException {
    Optional<BackendRef> ref = checkpoint.backend();
    if (ref.isEmpty()) {
      return Optional.empty();
    }
    if (!opener.capabilities().contains(Capability.REATTACH)) {
      throw SandboxException.of(
          ErrorCode.UNSUPPORTED,
          Operation.RESUME,
          "provider "
              + checkpoint.provider()
              + " cannot attach to a backend again; a checkpoint can be resumed once its session"
              + " is closed");
    }
    try {
      return Optional.of(
          opener.within(
              caller,
              opener.spec().createTimeout(),
              ref.get(),
              opener.provider()::attach,
              Operation.RESUME,
              this::leave,
              "a connection to the backend"));
    } catch (SandboxException e) {
      return switch (e.code()) {
        case BACKEND_GONE -> Optional.empty();
        case UNSUPPORTED, INVALID_ARGUMENT, PROVIDER_UNAVAILABLE, DEADLINE_EXCEEDED -> throw e;
        default ->
            throw SandboxException.builder(
                    ErrorCode.BACKEND_UNREACHABLE,
                    Operation.RESUME,
                    "whether the backend of " + checkpoint + " lives is not known")
                .cause(e)
                .retryable(Retryable.YES)
                .build();
      };
    }
  }

  /** Nobody waits for it any more, and it is not ours to delete. */
  private void leave(SandboxBackend late) {
    try {
      late.detach(opener.clock().deadline(opener.spec().timings().release()));
    } catch (InterruptedException | RuntimeException e) {
      LOG.warn("a backend that was attached late could not be left: {}", late.ref(), e);
    }
  }

  /** The checkpoint's own snapshot, or else the oldest that is newer. */
  private Snapshot choose(List<Snapshot> snapshots) {
    return snapshots.stream()
        .filter(each -> each.sequence() >= checkpoint.oldest())
        .min(Comparator.comparing(Snapshot::sequence))
        .orElseThrow(
            () ->
                SandboxException.builder(
                        ErrorCode.SNAPSHOT_NOT_FOUND,
                        Operation.RESUME,
                        "no snapshot of "
                            + checkpoint.lineage()
                            + " is as new as number "
                            + checkpoint.oldest()
                            + "; there are: "
                            + (snapshots.isEmpty()
                                ? "none"
                                : snapshots.stream().map(s -> "" + s.sequence()).toList()))
                    .context("lineage", checkpoint.lineage())
                    .context("oldest", checkpoint.oldest())
                    .build());
  }

  /** A new backend with the snapshot's content; nothing is left of one that could not be filled. */
  private SandboxBackend replacement(Caller caller, Snapshot snapshot) throws InterruptedException {
    if (snapshot.kind() == Snapshot.Kind.NATIVE) {
      NativeSnapshots own =
          opener
              .provider()
              .nativeSnapshots()
              .orElseThrow(() -> failed(snapshot, "the provider has no snapshots of its own"));
      return opener.make(
          caller,
          opener.request(),
          (BackendRequest request, Deadline deadline) ->
              own.restore(request, snapshot.data(), deadline),
          Operation.RESTORE);
    }
    SandboxBackend made =
        opener.make(caller, opener.request(), opener.provider()::create, Operation.CREATE);
    boolean done = false;
    try {
      fill(caller, made, snapshot);
      done = true;
      return made;
    } finally {
      if (!done) {
        opener.discard(made);
      }
    }
  }

  /** Fills a live workspace again, unless it is as the snapshot. */
  private void putBack(Caller caller, SandboxBackend backend, Snapshot snapshot)
      throws InterruptedException {
    boolean done = false;
    try {
      if (snapshot.kind() == Snapshot.Kind.NATIVE) {
        throw failed(snapshot, "a snapshot of the provider's own makes a new backend only");
      }
      if (!unchanged(caller, backend, snapshot)) {
        fill(caller, backend, snapshot);
      }
      done = true;
    } finally {
      if (!done) {
        leave(backend);
      }
    }
  }

  private boolean unchanged(Caller caller, SandboxBackend backend, Snapshot snapshot)
      throws InterruptedException {
    if (snapshot.fingerprint().isEmpty()) {
      return false;
    }
    String now =
        opener.within(
            caller,
            opener.spec().snapshots().timeout(),
            backend,
            (SandboxBackend live, Deadline deadline) ->
                WorkspaceArchives.fingerprint(
                        live.files(), ".", opener.spec().manifest().ephemeralPaths(), deadline)
                    .fingerprint(),
            Operation.RESTORE,
            late -> LOG.debug("a fingerprint came late"),
            "a fingerprint");
    return now.equals(snapshot.fingerprint());
  }

  private void fill(Caller caller, SandboxBackend backend, Snapshot snapshot)
      throws InterruptedException {
    SnapshotStore from =
        store.orElseThrow(() -> failed(snapshot, "there is no store to read it from"));
    boolean unused =
        opener.within(
            caller,
            opener.spec().snapshots().timeout(),
            backend,
            (SandboxBackend target, Deadline deadline) -> restore(from, snapshot, target, deadline),
            Operation.RESTORE,
            late -> LOG.debug("a workspace was filled late"),
            "the workspace");
  }

  /** The content is checked to its end before anything is replaced. */
  private static boolean restore(
      SnapshotStore from, Snapshot snapshot, SandboxBackend target, Deadline deadline)
      throws InterruptedException {
    try (InputStream content = from.open(snapshot, deadline)) {
      WorkspaceArchives.hydrate(
          target.files(),
          ".",
          content,
          ArchiveLimits.none(),
          WorkspaceArchives.OutsideLinks.KEEP,
          deadline);
      return true;
    } catch (IOException e) {
      throw failed(snapshot, e.getClass().getSimpleName(), e);
    } catch (SandboxException e) {
      throw e.code() == ErrorCode.SNAPSHOT_NOT_FOUND
          ? e
          : failed(snapshot, String.valueOf(e.getMessage()), e);
    }
  }

  private static SandboxException failed(Snapshot snapshot, String why) {
    return builder(snapshot, why).build();
  }

  private static SandboxException failed(Snapshot snapshot, String why, Throwable cause) {
    return builder(snapshot, why).cause(cause).build();
  }

  private static SandboxException.Builder builder(Snapshot snapshot, String why) {
    return SandboxException.builder(
            ErrorCode.RESTORE_FAILED,
            Operation.RESTORE,
            "snapshot " + snapshot + " was not restored: " + why)
        .retryable(Retryable.UNKNOWN)
        .context("lineage", snapshot.lineage())
        .context("sequence", snapshot.sequence());
  }
}
