package io.sandboxspi.remote.modal;

import com.google.protobuf.ByteString;
import io.sandboxspi.Registration;
import io.sandboxspi.SandboxException;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.remote.modal.ControlPlane.Made;
import io.sandboxspi.remote.modal.Rpc.Again;
import io.sandboxspi.remote.modal.wire.SandboxInfo;
import io.sandboxspi.remote.modal.wire.TaskCommandRouter;
import io.sandboxspi.remote.modal.wire.TaskMountDirectoryRequest;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Makes sandboxes; nothing is left of one that fails on the way. */
final class SandboxMaker {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxMaker.class);

  private static final Duration FIRST_LOOK = Duration.ofSeconds(1);
  private static final Duration LAST_LOOK = Duration.ofSeconds(16);

  private final ControlPlane plane;

  SandboxMaker(ControlPlane plane) {
    this.plane = plane;
  }

  /**
   * Makes one.
   *
   * @param image its id, instead of the one that the options name
   * @param mounted image of the workspace
   */
  ModalBackend make(
      BackendRequest request,
      ModalOptions options,
      Optional<String> image,
      Optional<String> mounted,
      Deadline deadline)
      throws InterruptedException {
    boolean sent = false;
    boolean done = false;
    Optional<String> sandbox = Optional.empty();
    String app = "";
    try {
      app = plane.app(options.app(), plane.calls().settings().environment(), deadline);
      String used =
          image.isPresent() ? image.get() : new Images(plane).find(options, app, deadline);
      sent = true;
      // The second kind has no such machines.
      boolean second = plane.calls().settings().second() && options.size().gpu().isEmpty();
      Made made =
          plane.create(
              second,
              app,
              Definition.of(options, used),
              Tags.of(request, options.tags()),
              deadline);
      sandbox = Optional.of(made.sandbox());
      ModalBackend backend = open(made, request.sessionId(), options, mounted, deadline);
      done = true;
      return backend;
    } catch (RemoteException e) {
      sent = sent && !refused(e, sandbox);
      throw failed(e);
    } finally {
      if (!done && sent) {
        discard(app, sandbox, request.sessionId());
      }
    }
  }

  /** Whether it is sure that nothing was made. */
  private static boolean refused(RemoteException e, Optional<String> sandbox) {
    return sandbox.isEmpty()
        && (e.kind() == Kind.UNREACHABLE
            || e.kind() == Kind.TLS
            || (e.kind() == Kind.REFUSED && !Failures.transientOne(e)));
  }

  private ModalBackend open(
      Made made, String session, ModalOptions options, Optional<String> mounted, Deadline deadline)
      throws InterruptedException {
    Router router = new Router(plane, made.sandbox());
    boolean done = false;
    try {
      if (made.task().isPresent() && made.access().isPresent()) {
        router.known(made.task().get(), made.access().get());
      }
      ModalMachine machine = new ModalMachine(router, Runnable::run, "/");
      String[] places = machine.greet(options.workspace(), deadline);
      if (mounted.isPresent()) {
        mount(router, places[1], mounted.get(), deadline);
      }
      ModalRef ref =
          new ModalRef(
              made.sandbox(),
              places[0],
              places[1],
              options.ports(),
              options.onRelease(),
              options.client());
      List<io.sandboxspi.remote.modal.wire.TunnelData> tunnels = made.tunnels();
      done = true;
      return new ModalBackend(ref, session, router, tunnels);
    } finally {
      if (!done) {
        router.close();
      }
    }
  }

  private static void mount(Router router, String path, String image, Deadline deadline)
      throws InterruptedException {
    Object unused =
        router.call(
            "mounting the workspace",
            TaskCommandRouter.TASK_MOUNT_DIRECTORY,
            task ->
                TaskMountDirectoryRequest.newBuilder()
                    .setTaskId(task)
                    .setPath(ByteString.copyFromUtf8(path))
                    .setImageId(image)
                    .build(),
            // One that comes late would cover what was written meanwhile.
            Again.NO,
            deadline);
  }

  private static SandboxException failed(RemoteException e) {
    boolean stranger =
        Failures.refused(e, ConnectCode.UNAUTHENTICATED)
            || Failures.refused(e, "permission_denied");
    return SandboxFailures.creation(e, stranger);
  }

  /** Ends what was made, or what may have been made without an answer. */
  private void discard(String app, Optional<String> sandbox, String session) {
    if (sandbox.isEmpty()) {
      discardUnseen(app, session, FIRST_LOOK);
      return;
    }
    Undo.attempt(
        deadline -> {
          Object unused = plane.terminate(sandbox.get(), deadline);
        },
        e -> left(session, e));
  }

  private static void left(String session, RemoteException e) {
    LOG.warn("a sandbox of session {} may be left until its time is over", session, e);
  }

  /** It is marked. What the vendor still makes comes later: it is looked for again. */
  private void discardUnseen(String app, String session, Duration pause) {
    AtomicBoolean found = new AtomicBoolean();
    Undo.attempt(
        deadline -> {
          for (SandboxInfo each : plane.list(app, List.of(Tags.session(session)), deadline)) {
            found.set(true);
            Object unused = plane.terminate(each.getId(), deadline);
          }
        },
        e -> left(session, e));
    if (!found.get() && pause.compareTo(LAST_LOOK) <= 0) {
      Registration unused =
          EngineClock.system()
              .schedule(
                  pause,
                  () ->
                      Looks.LANE.execute(() -> discardUnseen(app, session, pause.multipliedBy(2))));
    }
  }

  /** Threads that look for what may have been made late. */
  private static final class Looks {
    static final Lane LANE = Lane.light("sandbox-modal-late");
  }
}
