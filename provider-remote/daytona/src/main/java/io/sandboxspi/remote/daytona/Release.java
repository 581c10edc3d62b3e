package io.sandboxspi.remote.daytona;

import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;

/** Lets go of a sandbox, or ends it, and waits until that is so. */
final class Release {
  private final ControlPlane plane;
  private final String sandbox;

  Release(ControlPlane plane, String sandbox) {
    this.plane = plane;
    this.sandbox = sandbox;
  }

  ReleaseOutcome release(DaytonaOptions.OnRelease how, Deadline deadline)
      throws InterruptedException {
    return switch (how) {
      case KEEP -> ReleaseOutcome.DONE;
      case STOP -> stop(deadline);
      case ARCHIVE -> {
        ReleaseOutcome stopped = stop(deadline);
        if (stopped != ReleaseOutcome.ALREADY_GONE) {
          patiently(() -> plane.archive(sandbox, deadline), deadline);
        }
        yield stopped;
      }
      case PAUSE -> {
        patiently(() -> plane.pause(sandbox, deadline), deadline);
        Object unused = plane.await(sandbox, found -> !found.started(), deadline);
        yield ReleaseOutcome.DONE;
      }
      case DELETE -> delete(deadline);
    };
  }

  /** What ran in it is lost then: that is proof. */
  private ReleaseOutcome stop(Deadline deadline) throws InterruptedException {
    if (plane.describe(sandbox, deadline).started()) {
      patiently(() -> plane.stop(sandbox, deadline), deadline);
    }
    Object unused = plane.await(sandbox, found -> found.stopped() || found.gone(), deadline);
    return ReleaseOutcome.DESTROYED;
  }

  ReleaseOutcome delete(Deadline deadline) throws InterruptedException {
    try {
      patiently(() -> plane.delete(sandbox, deadline), deadline);
    } catch (RemoteException e) {
      if (e.said(404)) {
        return ReleaseOutcome.ALREADY_GONE;
      }
      throw e;
    }
    try {
      Object unused = plane.await(sandbox, Description::gone, deadline);
    } catch (RemoteException e) {
      if (!e.said(404)) {
        throw e;
      }
    }
    return ReleaseOutcome.DESTROYED;
  }

  private interface Action {
    void run() throws InterruptedException;
  }

  /** The vendor refuses what comes while a state changes: then again when it has changed. */
  private void patiently(Action action, Deadline deadline) throws InterruptedException {
    while (true) {
      try {
        action.run();
        return;
      } catch (RemoteException e) {
        boolean changing =
            (e.refusedWith(409) || e.refusedWith(400))
                && plane.describe(sandbox, deadline).state().endsWith("ing");
        if (!changing) {
          throw e;
        }
        Object unused = plane.await(sandbox, found -> !found.state().endsWith("ing"), deadline);
        if (deadline.expired()) {
          throw new RemoteException(Kind.TIMEOUT, "the sandbox's state did not settle", e);
        }
      }
    }
  }
}
