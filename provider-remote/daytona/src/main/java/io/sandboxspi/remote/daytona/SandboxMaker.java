package io.sandboxspi.remote.daytona;

import io.sandboxspi.SandboxException;
import io.sandboxspi.core.reap.Owner;
import io.sandboxspi.remote.shell.Marks;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.util.HashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes sandboxes that can be worked in, and finds them again. */
final class SandboxMaker {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxMaker.class);
  private static final long PAUSE = 200;

  private final Connection connection;
  private final Settings settings;

  SandboxMaker(Connection connection, Settings settings) {
    this.connection = connection;
    this.settings = settings;
  }

  /** Makes one, from a snapshot if that is given, whatever the options say of its source. */
  DaytonaBackend make(
      BackendRequest request, DaytonaOptions options, Optional<String> from, Deadline deadline)
      throws InterruptedException {
    try {
      if (connection.plane().isEmpty()) {
        Description alone = Description.alone(Connection.ALONE, Labels.of(request, options));
        return backend(request.sessionId(), alone, deadline);
      }
      return made(request, options, from, connection.plane().get(), deadline);
    } catch (RemoteException e) {
      throw failed(e);
    }
  }

  private DaytonaBackend made(
      BackendRequest request,
      DaytonaOptions options,
      Optional<String> from,
      ControlPlane plane,
      Deadline deadline)
      throws InterruptedException {
    String name = "sandbox-" + request.sessionId();
    boolean asked = false;
    boolean made = false;
    boolean done = false;
    try {
      asked = true;
      Description begun =
          plane.create(name, Labels.of(request, options), options, from, settings, deadline);
      made = true;
      Description ready = plane.await(begun.id(), SandboxMaker::usable, deadline);
      DaytonaBackend backend = backend(request.sessionId(), ready, deadline);
      done = true;
      return backend;
    } catch (RemoteException e) {
      // If nothing was made there may be another one of this name.
      asked = made || !e.nothingDone();
      throw e;
    } finally {
      if (!done && asked) {
        discard(plane, name);
      }
    }
  }

  /** Whether it is ready; fails when it never will be. */
  private static boolean usable(Description found) {
    if (found.failed() || found.gone()) {
      throw new RemoteException(
          Kind.CLOSED,
          "the sandbox is in state "
              + found.state()
              + (found.reason().isEmpty() ? "" : ": " + found.reason()));
    }
    return found.started();
  }

  private DaytonaBackend backend(String session, Description found, Deadline deadline)
      throws InterruptedException {
    Toolbox toolbox = connection.toolbox(found.id(), found.toolbox(), deadline);
    String home = home(toolbox, deadline);
    Map<String, String> labels = found.labels();
    Map<String, String> data = new HashMap<>(connection.reference());
    data.put(Connection.SANDBOX, found.id());
    DaytonaBackend backend =
        new DaytonaBackend(
            new BackendRef(DaytonaProvider.NAME, data),
            session,
            found.id(),
            connection.plane(),
            toolbox,
            home,
            labels.getOrDefault(Labels.WORKSPACE, home + "/workspace"),
            Ports.of(labels),
            onRelease(labels));
    boolean done = false;
    try {
      backend.makeWorkspace(deadline);
      boolean keep = Boolean.parseBoolean(labels.getOrDefault(Labels.KEEP_ALIVE, "true"));
      backend.keepAlive(DaytonaOptions.heartbeat(found.autoStop(), keep));
      done = true;
      return backend;
    } finally {
      if (!done) {
        backend.close();
      }
    }
  }

  private static DaytonaOptions.OnRelease onRelease(Map<String, String> labels) {
    String name = labels.getOrDefault(Labels.ON_RELEASE, "keep").toUpperCase(Locale.ROOT);
    for (DaytonaOptions.OnRelease value : DaytonaOptions.OnRelease.values()) {
      if (value.name().equals(name)) {
        return value;
      }
    }
    return DaytonaOptions.OnRelease.KEEP;
  }

  /** The daemon may answer a little later than the control plane says. */
  private static String home(Toolbox toolbox, Deadline deadline) throws InterruptedException {
    while (true) {
      try {
        return toolbox.home(deadline);
      } catch (RemoteException e) {
        boolean early =
            e.refusedWith(400) || e.refusedWith(502) || e.refusedWith(503) || e.refusedWith(404);
        if (!early || deadline.remaining().toMillis() < PAUSE) {
          throw e;
        }
        ControlPlane.pause(PAUSE);
      }
    }
  }

  DaytonaBackend attach(BackendRef ref, String sandbox, Deadline deadline)
      throws InterruptedException {
    String session = Long.toHexString(System.nanoTime()) + "-again";
    try {
      if (connection.plane().isEmpty()) {
        return backend(session, Description.alone(sandbox, Map.of()), deadline);
      }
      ControlPlane plane = connection.plane().get();
      Description found = plane.describe(sandbox, deadline);
      if (!found.gone() && !found.labels().containsKey(Marks.SESSION)) {
        throw SandboxException.invalid(
            "backend reference", sandbox, "a sandbox that this provider made");
      }
      take(plane, found, deadline);
      Description awake = awake(plane, found, deadline);
      return backend(awake.labels().get(Marks.SESSION) + "-again", awake, deadline);
    } catch (RemoteException e) {
      if (e.said(404)) {
        throw SandboxFailures.gone(sandbox);
      }
      throw failed(e);
    }
  }

  /** Makes this process the owner, unless the sandbox is durable. */
  private static void take(ControlPlane plane, Description found, Deadline deadline)
      throws InterruptedException {
    String owner = found.labels().getOrDefault(Marks.OWNER, "");
    if (!found.gone() && !owner.equals(Owner.DURABLE) && !owner.equals(Owner.current())) {
      Map<String, String> labels = new HashMap<>(found.labels());
      labels.put(Marks.OWNER, Owner.current());
      plane.label(found.id(), labels, deadline);
    }
  }

  private static Description awake(ControlPlane plane, Description first, Deadline deadline)
      throws InterruptedException {
    Description found = first;
    while (!found.started()) {
      if (found.gone()) {
        throw SandboxFailures.gone(found.id());
      }
      String before = found.state();
      try {
        if (found.asleep()) {
          plane.start(found.id(), deadline);
        } else if (found.failed() && found.recoverable()) {
          plane.recover(found.id(), deadline);
        } else if (found.failed()) {
          boolean unused = usable(found);
        }
      } catch (RemoteException e) {
        // It changes just now: what it becomes decides.
        if (!e.refusedWith(409) && !e.refusedWith(400)) {
          throw e;
        }
        LOG.debug("the sandbox is changing", e);
        ControlPlane.pause(PAUSE);
      }
      found =
          plane.await(
              found.id(),
              now -> !now.state().equals(before) && !now.state().endsWith("ing"),
              deadline);
    }
    return found;
  }

  private static void discard(ControlPlane plane, String name) {
    Undo.attempt(
        deadline -> {
          Object unused = new Release(plane, name).delete(deadline);
        },
        e -> LOG.warn("the sandbox {} may be left: {}", name, e.getMessage()));
  }

  /** A 403 is a quota, too. */
  private static SandboxException failed(RemoteException e) {
    return SandboxFailures.creation(e, e.refusedWith(401));
  }
}
