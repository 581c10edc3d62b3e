package io.sandboxspi.remote.e2b;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.SandboxBackend;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Snapshots by the vendor: of disk and memory, as templates. The sandbox is paused for a moment,
 * which cuts its streams, so nothing of this session's runs in it meanwhile.
 */
final class E2bSnapshots implements NativeSnapshots {
  private static final Logger LOG = LoggerFactory.getLogger(E2bSnapshots.class);
  private static final String SNAPSHOT = "snapshot";
  private static final long PAUSE = 250;
  private static final int TRIES = 6;

  private final E2bProvider provider;

  E2bSnapshots(E2bProvider provider) {
    this.provider = provider;
  }

  @Override
  public Map<String, String> take(BackendRef given, Deadline deadline) throws InterruptedException {
    E2bRef ref = E2bRef.parse(given);
    SnapshotCalls calls = new SnapshotCalls(provider.controlPlane(ref.client()));
    // By it one is found whose maker got no answer, and by people who look for what is left.
    String name = "sandbox-" + UUID.randomUUID();
    boolean maybe = true;
    boolean done = false;
    try {
      Optional<E2bBackend> live = provider.live(ref.sandbox());
      if (live.isPresent()) {
        live.get().rest(deadline);
      }
      String id = taken(calls, ref.sandbox(), name, deadline);
      Map<String, String> data = new HashMap<>(OptionReader.data(ref.client()));
      data.put(SNAPSHOT, id);
      done = true;
      return data;
    } catch (RemoteException e) {
      maybe = !nothingDone(e);
      throw e.as(ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT)
          .context("sandbox", ref.sandbox())
          .build();
    } finally {
      if (!done && maybe) {
        discard(calls, ref.sandbox(), name);
      }
    }
  }

  /** Asks for it; again only when the vendor refused because it was busy with the sandbox. */
  private static String taken(SnapshotCalls calls, String sandbox, String name, Deadline deadline)
      throws InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        return calls.take(sandbox, name, deadline);
      } catch (RemoteException e) {
        boolean busy = e.refusedWith(409) || e.refusedWith(503);
        long pause = PAUSE * tries;
        if (busy && tries < TRIES && deadline.remaining().toMillis() > pause) {
          boolean unused = new CountDownLatch(1).await(pause, TimeUnit.MILLISECONDS);
        } else if (!nothingDone(e) && !deadline.expired()) {
          return calls.find(sandbox, name, deadline).orElseThrow(() -> e);
        } else {
          throw e;
        }
      }
    }
  }

  private static boolean nothingDone(RemoteException e) {
    return e.nothingDone() || e.refusedWith(503);
  }

  private static void discard(SnapshotCalls calls, String sandbox, String name) {
    Undo.attempt(
        deadline -> {
          Optional<String> left = calls.find(sandbox, name, deadline);
          if (left.isPresent()) {
            calls.delete(left.get(), deadline);
          }
        },
        e ->
            LOG.warn(
                "the snapshot {} of sandbox {} may be left: {}", name, sandbox, e.getMessage()));
  }

  @Override
  public SandboxBackend restore(
      BackendRequest request, Map<String, String> snapshot, Deadline deadline)
      throws InterruptedException {
    return provider.make(request, Optional.of(id(snapshot)), deadline);
  }

  @Override
  public void delete(Map<String, String> snapshot, Deadline deadline) throws InterruptedException {
    try {
      new SnapshotCalls(provider.controlPlane(E2bRef.client(snapshot)))
          .delete(id(snapshot), deadline);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT).build();
    }
  }

  private static String id(Map<String, String> snapshot) {
    String id = snapshot.getOrDefault(SNAPSHOT, "");
    if (!id.matches("[A-Za-z0-9][A-Za-z0-9._/:-]{0,199}")) {
      throw SandboxException.invalid("snapshot", "of another form", "one of provider e2b");
    }
    return id;
  }
}
