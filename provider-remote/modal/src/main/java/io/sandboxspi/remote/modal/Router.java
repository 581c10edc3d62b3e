package io.sandboxspi.remote.modal;

import com.google.protobuf.ByteString;
import io.grpc.CallOptions;
import io.grpc.Channel;
import io.grpc.ClientCall;
import io.grpc.ManagedChannel;
import io.grpc.Metadata;
import io.grpc.MethodDescriptor;
import io.grpc.stub.MetadataUtils;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.remote.modal.Rpc.Again;
import io.sandboxspi.remote.modal.wire.CommandRouterAccess;
import io.sandboxspi.remote.modal.wire.TaskCommandRouter;
import io.sandboxspi.remote.modal.wire.TaskExecStdinStatusRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStdinStatusResponse;
import io.sandboxspi.remote.modal.wire.TaskExecStdinWriteRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStdioReadRequest;
import io.sandboxspi.remote.modal.wire.TaskExecStdioReadResponse;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Calls to the router of one sandbox's task, which starts processes. Its token ends after a while
 * and is fetched again. Output has a connection of its own: what is not read there must not hold up
 * a kill. Thread-safe.
 */
final class Router {
  /** Control shells are told to end after the session's end. */
  private static final Duration FAREWELL = Duration.ofSeconds(3);

  private final ControlPlane plane;
  private final String sandbox;
  private final Rpc rpc;
  private final Semaphore turn = new Semaphore(1, true);
  private volatile @Nullable Link link;
  private volatile boolean answered;
  private volatile boolean closed;

  /** How the router is reached now. */
  record Link(String task, Secret jwt, ManagedChannel calls, ManagedChannel streams) {
    @Override
    public String toString() {
      return "Link[" + task + "]";
    }
  }

  /** Makes no call. */
  Router(ControlPlane plane, String sandbox) {
    this.plane = plane;
    this.sandbox = sandbox;
    this.rpc = plane.calls().rpc();
  }

  String sandbox() {
    return sandbox;
  }

  ControlPlane plane() {
    return plane;
  }

  Rpc rpc() {
    return rpc;
  }

  /** Takes what came with a new sandbox, which saves two calls. */
  void known(String task, CommandRouterAccess access) {
    link = fresh(task, access);
  }

  private Link fresh(String task, CommandRouterAccess access) {
    Server server = plane.calls().server().router(access.getUrl());
    return new Link(
        task,
        Secret.of("router token", access.getJwt()),
        Channels.open(server, plane.calls().options()),
        Channels.open(server, plane.calls().options()));
  }

  /** How it is reached; asks the control plane the first time. */
  Link link(Deadline deadline) throws InterruptedException {
    Link known = link;
    if (known != null) {
      return known;
    }
    hold(deadline);
    try {
      known = link;
      if (known == null) {
        String task = plane.task(sandbox, deadline);
        known = fresh(task, plane.access(sandbox, task, deadline));
        link = known;
        if (closed) {
          shut(known);
        }
      }
      return known;
    } finally {
      turn.release();
    }
  }

  /** The link of a process that was started over it. */
  Link linked() {
    Link known = link;
    if (known == null) {
      throw new IllegalStateException("nothing was started");
    }
    return known;
  }

  private void hold(Deadline deadline) throws InterruptedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(Kind.TIMEOUT, "the sandbox's router was not found in time");
    }
  }

  /** Fetches another token, once for all who were refused with this one. */
  void renew(Link refused, Deadline deadline) throws InterruptedException {
    hold(deadline);
    try {
      Link known = linked();
      if (known.jwt().equals(refused.jwt())) {
        CommandRouterAccess access = plane.access(sandbox, known.task(), deadline);
        // The address stays, as with the vendor's clients.
        link =
            new Link(
                known.task(),
                Secret.of("router token", access.getJwt()),
                known.calls(),
                known.streams());
      }
    } finally {
      turn.release();
    }
  }

  /** Makes a request for the task. */
  interface Request<Q> {
    Q of(String task);
  }

  <Q, A> A call(
      String what,
      MethodDescriptor<Q, A> method,
      Request<Q> request,
      Again again,
      Deadline deadline)
      throws InterruptedException {
    Link before = link(deadline);
    try {
      return attempt(what, method, request, again, before, deadline);
    } catch (RemoteException e) {
      if (!Failures.refused(e, ConnectCode.UNAUTHENTICATED)) {
        throw e;
      }
    }
    renew(before, deadline);
    return attempt(what, method, request, again, link(deadline), deadline);
  }

  private <Q, A> A attempt(
      String what,
      MethodDescriptor<Q, A> method,
      Request<Q> request,
      Again again,
      Link over,
      Deadline deadline)
      throws InterruptedException {
    Rpc.Attempts attempts =
        new Rpc.Attempts() {
          @Override
          public Channel channel() {
            return over.calls();
          }

          @Override
          public Metadata headers(int made, int throttled, Duration elapsed) {
            return bearer(over);
          }

          @Override
          public boolean patient() {
            // The router of a new sandbox may not be there yet.
            return !answered;
          }

          @Override
          public void unreachable() {
            over.calls().resetConnectBackoff();
          }
        };
    A answer = rpc.call(what, method, request.of(over.task()), attempts, again, deadline);
    answered = true;
    return answer;
  }

  private static Metadata bearer(Link link) {
    Metadata headers = new Metadata();
    headers.put(
        Metadata.Key.of("authorization", Metadata.ASCII_STRING_MARSHALLER),
        "Bearer " + link.jwt().reveal());
    return headers;
  }

  /**
   * Opens a stream of output.
   *
   * @param control whether it is of a control shell
   */
  ClientCall<TaskExecStdioReadRequest, TaskExecStdioReadResponse> stdio(
      Link over, boolean control) {
    return MetadataUtils.newAttachHeadersInterceptor(bearer(over))
        .interceptCall(
            TaskCommandRouter.TASK_EXEC_STDIO_READ,
            CallOptions.DEFAULT,
            control ? over.calls() : over.streams());
  }

  /** Writes input; what was written before the offset already is left out by the router. */
  void stdin(String exec, long offset, ByteString data, boolean eof, Deadline deadline)
      throws InterruptedException {
    Object unused =
        call(
            "writing input",
            TaskCommandRouter.TASK_EXEC_STDIN_WRITE,
            task ->
                TaskExecStdinWriteRequest.newBuilder()
                    .setTaskId(task)
                    .setExecId(exec)
                    .setOffset(offset)
                    .setData(data)
                    .setEof(eof)
                    .build(),
            Again.ROUTER,
            deadline);
  }

  /** How much input has come. */
  TaskExecStdinStatusResponse stdinStatus(String exec, Deadline deadline)
      throws InterruptedException {
    return call(
        "asking for the input",
        TaskCommandRouter.TASK_EXEC_STDIN_STATUS,
        task -> TaskExecStdinStatusRequest.newBuilder().setTaskId(task).setExecId(exec).build(),
        Again.ROUTER,
        deadline);
  }

  boolean isClosed() {
    return closed;
  }

  /** Lets go of the connections, soon. Idempotent. */
  void close() {
    closed = true;
    Optional.ofNullable(link)
        .ifPresent(
            known -> {
              var unused = EngineClock.system().schedule(FAREWELL, () -> shut(known));
            });
  }

  private static void shut(Link link) {
    Object calls = link.calls().shutdownNow();
    Object streams = link.streams().shutdownNow();
    assert calls != streams;
  }
}
