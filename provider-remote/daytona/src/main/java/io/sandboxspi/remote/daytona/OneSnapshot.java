package io.sandboxspi.remote.daytona;

import io.sandboxspi.remote.daytona.SnapshotCalls.Taken;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.spi.Deadline;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * The taking of one snapshot. The vendor begins it and lists it when it is whole; of one that comes
 * to nothing it says nothing, and puts the sandbox back as it was.
 *
 * @param name unique
 */
record OneSnapshot(ControlPlane plane, SnapshotCalls calls, String sandbox, String name) {
  private static final Logger LOG = LoggerFactory.getLogger(OneSnapshot.class);
  private static final long PAUSE = 200;
  private static final int TRIES = 5;

  /** It is whole, and can be used, when this returns; nothing is left of one that fails. */
  void take(Deadline deadline) throws InterruptedException {
    boolean maybe = true;
    boolean done = false;
    try {
      Optional<RemoteException> doubt;
      try {
        doubt = begin(deadline);
      } catch (RemoteException e) {
        maybe = false;
        throw e;
      }
      if (doubt.isPresent() && deadline.expired()) {
        throw doubt.get();
      }
      settle(deadline);
      await(doubt, deadline);
      done = true;
    } finally {
      if (!done && maybe) {
        discard();
      }
    }
  }

  /**
   * Asks for it; again only when the vendor refused because the sandbox's state was changing.
   *
   * @return why it is not known whether it was begun: what the vendor lists decides then
   */
  private Optional<RemoteException> begin(Deadline deadline) throws InterruptedException {
    for (int tries = 1; ; tries++) {
      try {
        calls.begin(sandbox, name, deadline);
        return Optional.empty();
      } catch (RemoteException e) {
        if (!e.nothingDone() && !e.refusedWith(503)) {
          return Optional.of(e);
        }
        boolean changing =
            e.refusedWith(409) || (e.refusedWith(400) && busy(plane.describe(sandbox, deadline)));
        if (!changing || tries == TRIES) {
          throw e;
        }
        ControlPlane.pause(PAUSE);
        settle(deadline);
      }
    }
  }

  private static boolean busy(Description found) {
    return found.state().endsWith("ing");
  }

  private void settle(Deadline deadline) throws InterruptedException {
    if (plane.await(sandbox, now -> !busy(now), deadline).gone()) {
      throw new RemoteException(Kind.CLOSED, "the sandbox was deleted before its snapshot");
    }
  }

  private void await(Optional<RemoteException> doubt, Deadline deadline)
      throws InterruptedException {
    AtomicInteger missing = new AtomicInteger();
    ControlPlane.poll(
        deadline,
        () -> {
          Optional<Taken> found = calls.find(name, deadline);
          if (found.isEmpty()) {
            // It is listed a moment after the sandbox is itself again.
            if (missing.incrementAndGet() < TRIES) {
              return Optional.of("the snapshot is not listed");
            }
            throw doubt.orElseGet(
                () ->
                    new RemoteException(Kind.CLOSED, "the vendor began a snapshot and made none"));
          }
          if (found.get().failed()) {
            throw new RemoteException(
                Kind.CLOSED, "the snapshot is in state " + found.get().state() + found.get().why());
          }
          return found.get().active()
              ? Optional.empty()
              : Optional.of("the snapshot is " + found.get().state());
        });
  }

  private void discard() {
    Undo.attempt(
        deadline -> {
          // It is listed at the end only.
          Object unused = plane.await(sandbox, now -> !busy(now), deadline);
          calls.delete(name, deadline);
        },
        e -> LOG.warn("the snapshot {} may be left: {}", name, e.getMessage()));
  }
}
