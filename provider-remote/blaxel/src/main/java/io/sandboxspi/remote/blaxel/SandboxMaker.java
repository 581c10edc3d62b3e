package io.sandboxspi.remote.blaxel;

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
import java.util.Map;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes sandboxes that can be worked in, and finds them again. */
final class SandboxMaker {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxMaker.class);
  private static final long PAUSE = 200;
  private static final int LONGEST_NAME = 49;

  private final Connection connection;
  private final Settings settings;

  SandboxMaker(Connection connection, Settings settings) {
    this.connection = connection;
    this.settings = settings;
  }

  BlaxelBackend make(BackendRequest request, BlaxelOptions options, Deadline deadline)
      throws InterruptedException {
    Map<String, String> labels = Labels.of(request, options);
    try {
      if (connection.plane().isEmpty()) {
        Description alone = new Description(Connection.ALONE, "", "DEPLOYED", "", labels);
        return backend(request.sessionId(), alone, deadline);
      }
      return made(request.sessionId(), labels, options, connection.plane().get(), deadline);
    } catch (RemoteException e) {
      throw failed(e);
    }
  }

  /** Always a new one: the vendor refuses or delays a name that was in use just now. */
  private static String name(String session) {
    String name = "sandbox-" + session;
    return name.length() <= LONGEST_NAME
        ? name
        : "sandbox-" + UUID.randomUUID().toString().replace("-", "");
  }

  private BlaxelBackend made(
      String session,
      Map<String, String> labels,
      BlaxelOptions options,
      ControlPlane plane,
      Deadline deadline)
      throws InterruptedException {
    String name = name(session);
    String region = options.region().or(settings::region).orElse(Settings.DEFAULT_REGION);
    boolean asked = false;
    boolean made = false;
    boolean done = false;
    try {
      asked = true;
      Description begun = plane.create(name, labels, options, region, deadline);
      made = true;
      Description ready =
          begun.deployed() && !begun.url().isEmpty()
              ? begun
              : plane.await(name, ControlPlane::usable, false, deadline);
      BlaxelBackend backend = backend(session, ready, deadline);
      done = true;
      return backend;
    } catch (RemoteException e) {
      // If nothing was made there may be another one of this name.
      asked = !e.nothingDone();
      throw e;
    } finally {
      if (!done && (made || asked)) {
        discard(plane, name);
      }
    }
  }

  private BlaxelBackend backend(String session, Description found, Deadline deadline)
      throws InterruptedException {
    SandboxApi api = connection.agent(found.name(), found.url());
    String home = home(api, deadline);
    Map<String, String> data = new HashMap<>(connection.reference());
    data.put(Connection.SANDBOX, found.name());
    BlaxelBackend backend =
        new BlaxelBackend(
            new BackendRef(BlaxelProvider.NAME, data),
            session,
            found.name(),
            connection.plane(),
            api,
            home,
            found.labels());
    boolean done = false;
    try {
      backend.makeWorkspace(deadline);
      done = true;
      return backend;
    } finally {
      if (!done) {
        backend.close();
      }
    }
  }

  /** Right after its making a sandbox may not answer yet. */
  private static String home(SandboxApi api, Deadline deadline) throws InterruptedException {
    while (true) {
      try {
        String home =
            api.run(
                    "asking for the home directory",
                    "cd ~ 2>/dev/null && pwd || echo /tmp",
                    deadline)
                .strip();
        if (home.startsWith("/")) {
          return home.equals("/") ? "" : home;
        }
        throw new RemoteException(Kind.MALFORMED, "the sandbox's user has no home directory");
      } catch (RemoteException e) {
        boolean early = e.refusedWith(502) || e.refusedWith(503);
        if (!early || deadline.remaining().toMillis() < PAUSE) {
          throw e;
        }
        Wire.pause(PAUSE);
      }
    }
  }

  BlaxelBackend attach(BackendRef ref, String sandbox, Deadline deadline)
      throws InterruptedException {
    String session = Long.toHexString(System.nanoTime()) + "-again";
    try {
      if (connection.plane().isEmpty()) {
        return backend(session, new Description(sandbox, "", "DEPLOYED", "", Map.of()), deadline);
      }
      ControlPlane plane = connection.plane().get();
      Description found = plane.describe(sandbox, deadline);
      if (found.gone()) {
        throw SandboxFailures.gone(sandbox);
      }
      if (!found.labels().containsKey(Marks.SESSION)) {
        throw SandboxException.invalid(
            "backend reference", sandbox, "a sandbox that this provider made");
      }
      if (found.ending()) {
        Object unused = plane.await(sandbox, Description::gone, false, deadline);
        throw SandboxFailures.gone(sandbox);
      }
      if (!ControlPlane.usable(found)) {
        found = plane.await(sandbox, ControlPlane::usable, false, deadline);
      }
      take(plane, found, deadline);
      return backend(found.labels().get(Marks.SESSION) + "-again", found, deadline);
    } catch (RemoteException e) {
      if (Wire.gone(e)) {
        throw SandboxFailures.gone(sandbox);
      }
      throw failed(e);
    }
  }

  /** Makes this process the owner, unless the sandbox is durable. */
  private static void take(ControlPlane plane, Description found, Deadline deadline)
      throws InterruptedException {
    String before = found.labels().getOrDefault(Marks.OWNER, "");
    if (!before.equals(Owner.DURABLE) && !before.equals(Owner.current())) {
      plane.label(found.name(), Marks.OWNER, Owner.current(), deadline);
    }
  }

  private static void discard(ControlPlane plane, String name) {
    Undo.attempt(
        deadline -> plane.delete(name, deadline),
        e -> {
          if (!Wire.gone(e)) {
            LOG.warn("the sandbox {} may be left: {}", name, e.getMessage());
          }
        });
  }

  private static SandboxException failed(RemoteException e) {
    return SandboxFailures.creation(e, e.refusedWith(401) || e.refusedWith(403));
  }
}
