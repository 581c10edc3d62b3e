package io.sandboxspi.remote.modal;

import io.grpc.MethodDescriptor;
import io.sandboxspi.remote.modal.wire.AppGetOrCreateRequest;
import io.sandboxspi.remote.modal.wire.CommandRouterAccess;
import io.sandboxspi.remote.modal.wire.EnvironmentGetOrCreateRequest;
import io.sandboxspi.remote.modal.wire.GenericResult;
import io.sandboxspi.remote.modal.wire.GenericResult.GenericStatus;
import io.sandboxspi.remote.modal.wire.ImageDeleteRequest;
import io.sandboxspi.remote.modal.wire.ModalClient;
import io.sandboxspi.remote.modal.wire.ObjectCreationType;
import io.sandboxspi.remote.modal.wire.Sandbox;
import io.sandboxspi.remote.modal.wire.SandboxCreateRequest;
import io.sandboxspi.remote.modal.wire.SandboxCreateV2Request;
import io.sandboxspi.remote.modal.wire.SandboxCreateV2Response;
import io.sandboxspi.remote.modal.wire.SandboxGetCommandRouterAccessRequest;
import io.sandboxspi.remote.modal.wire.SandboxGetTaskIdRequest;
import io.sandboxspi.remote.modal.wire.SandboxGetTaskIdResponse;
import io.sandboxspi.remote.modal.wire.SandboxGetTunnelsRequest;
import io.sandboxspi.remote.modal.wire.SandboxGetTunnelsResponse;
import io.sandboxspi.remote.modal.wire.SandboxInfo;
import io.sandboxspi.remote.modal.wire.SandboxListRequest;
import io.sandboxspi.remote.modal.wire.SandboxTag;
import io.sandboxspi.remote.modal.wire.SandboxTagsGetRequest;
import io.sandboxspi.remote.modal.wire.SandboxTagsSetRequest;
import io.sandboxspi.remote.modal.wire.SandboxTerminateRequest;
import io.sandboxspi.remote.modal.wire.SandboxTerminateResponse;
import io.sandboxspi.remote.modal.wire.SandboxWaitRequest;
import io.sandboxspi.remote.modal.wire.TaskGetCommandRouterAccessRequest;
import io.sandboxspi.remote.modal.wire.TunnelData;
import io.sandboxspi.remote.shell.Machine.State;
import io.sandboxspi.remote.transport.ConnectCode;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.ReleaseOutcome;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;

/**
 * What is asked of the control plane. A sandbox is of the first kind or of the second, which its id
 * shows; their calls differ by a suffix. Thread-safe.
 */
final class ControlPlane {
  private static final long ASK_AGAIN_MILLIS = 500;
  private static final float WAIT_SECONDS = 10;

  /** The vendor refuses more of one account. */
  private static final int CREATIONS = 8;

  private final ControlCalls calls;
  private final Semaphore creations = new Semaphore(CREATIONS, true);

  ControlPlane(ControlCalls calls) {
    this.calls = calls;
  }

  ControlCalls calls() {
    return calls;
  }

  /**
   * A sandbox that was made.
   *
   * @param task empty for one of the first kind, which is made in the background
   * @param access to its router; empty as well
   */
  record Made(
      String sandbox,
      Optional<String> task,
      List<TunnelData> tunnels,
      Optional<CommandRouterAccess> access) {}

  /** Whether the id is of a sandbox of the first kind. */
  static boolean firstKind(String sandbox) {
    return sandbox.matches("sb-[0-9A-Za-z]{22}");
  }

  private static <Q, A> MethodDescriptor<Q, A> of(
      String sandbox, MethodDescriptor<Q, A> first, MethodDescriptor<Q, A> second) {
    return firstKind(sandbox) ? first : second;
  }

  /** The app with this name; made when it is missing. */
  String app(String name, String environment, Deadline deadline) throws InterruptedException {
    return app(
        name, environment, ObjectCreationType.OBJECT_CREATION_TYPE_CREATE_IF_MISSING, deadline);
  }

  /** The app with this name, if there is one. */
  Optional<String> findApp(String name, String environment, Deadline deadline)
      throws InterruptedException {
    try {
      return Optional.of(
          app(name, environment, ObjectCreationType.OBJECT_CREATION_TYPE_UNSPECIFIED, deadline));
    } catch (RemoteException e) {
      if (gone(e)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  private String app(String name, String environment, ObjectCreationType type, Deadline deadline)
      throws InterruptedException {
    AppGetOrCreateRequest request =
        AppGetOrCreateRequest.newBuilder()
            .setAppName(name)
            .setEnvironmentName(environment)
            .setObjectCreationType(type)
            .build();
    return calls
        .call("finding the app", ModalClient.APP_GET_OR_CREATE, request, deadline)
        .getAppId();
  }

  /** The version of the builder that an environment is set to. */
  String builderVersion(String environment, Deadline deadline) throws InterruptedException {
    EnvironmentGetOrCreateRequest request =
        EnvironmentGetOrCreateRequest.newBuilder().setDeploymentName(environment).build();
    return calls
        .call("finding the environment", ModalClient.ENVIRONMENT_GET_OR_CREATE, request, deadline)
        .getMetadata()
        .getSettings()
        .getImageBuilderVersion();
  }

  /** Makes a sandbox, when its turn has come: only so many are made at a time. */
  Made create(
      boolean second, String app, Sandbox definition, List<SandboxTag> tags, Deadline deadline)
      throws InterruptedException {
    if (!creations.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw new RemoteException(
          Kind.UNREACHABLE, "making the sandbox: others are being made, and its turn did not come");
    }
    try {
      return made(second, app, definition, tags, deadline);
    } finally {
      creations.release();
    }
  }

  private Made made(
      boolean second, String app, Sandbox definition, List<SandboxTag> tags, Deadline deadline)
      throws InterruptedException {
    String what = "making the sandbox";
    if (!second) {
      SandboxCreateRequest request =
          SandboxCreateRequest.newBuilder()
              .setAppId(app)
              .setDefinition(definition)
              .addAllTags(tags)
              .build();
      String sandbox =
          calls.call(what, ModalClient.SANDBOX_CREATE, request, deadline).getSandboxId();
      return new Made(named(sandbox), Optional.empty(), List.of(), Optional.empty());
    }
    SandboxCreateV2Request request =
        SandboxCreateV2Request.newBuilder()
            .setAppId(app)
            .setDefinition(definition)
            .addAllTags(tags)
            .build();
    SandboxCreateV2Response answer =
        calls.call(what, ModalClient.SANDBOX_CREATE_V2, request, deadline);
    return new Made(
        named(answer.getSandboxId()),
        Optional.of(answer.getTaskId()).filter(id -> !id.isEmpty()),
        answer.getTunnelsList(),
        answer.hasCommandRouterAccess()
            ? Optional.of(answer.getCommandRouterAccess())
            : Optional.empty());
  }

  private static String named(String sandbox) {
    if (!ModalRef.SANDBOX.matcher(sandbox).matches()) {
      throw new RemoteException(Kind.MALFORMED, "making the sandbox: the answer has no good id");
    }
    return sandbox;
  }

  /** The task of a sandbox; waits until it has one. */
  String task(String sandbox, Deadline deadline) throws InterruptedException {
    MethodDescriptor<SandboxGetTaskIdRequest, SandboxGetTaskIdResponse> method =
        of(sandbox, ModalClient.SANDBOX_GET_TASK_ID, ModalClient.SANDBOX_GET_TASK_ID_V2);
    SandboxGetTaskIdRequest request =
        SandboxGetTaskIdRequest.newBuilder().setSandboxId(sandbox).build();
    while (true) {
      SandboxGetTaskIdResponse answer =
          calls.call("asking for the sandbox's task", method, request, deadline);
      if (answer.hasTaskResult()) {
        throw ended();
      }
      if (!answer.getTaskId().isEmpty()) {
        return answer.getTaskId();
      }
      if (deadline.remaining().toMillis() <= ASK_AGAIN_MILLIS) {
        throw new RemoteException(
            Kind.TIMEOUT, "the vendor found no machine for the sandbox before the deadline");
      }
      boolean unused = new CountDownLatch(1).await(ASK_AGAIN_MILLIS, TimeUnit.MILLISECONDS);
    }
  }

  private static RemoteException ended() {
    return RemoteException.refused(
        404, ConnectCode.NOT_FOUND, "", Optional.empty(), "the sandbox has ended");
  }

  /** How the router of a task is reached. */
  CommandRouterAccess access(String sandbox, String task, Deadline deadline)
      throws InterruptedException {
    String what = "asking for the sandbox's router";
    try {
      if (firstKind(sandbox)) {
        var answer =
            calls.call(
                what,
                ModalClient.TASK_GET_COMMAND_ROUTER_ACCESS,
                TaskGetCommandRouterAccessRequest.newBuilder().setTaskId(task).build(),
                deadline);
        return access(answer.getJwt(), answer.getUrl());
      }
      var answer =
          calls.call(
              what,
              ModalClient.SANDBOX_GET_COMMAND_ROUTER_ACCESS,
              SandboxGetCommandRouterAccessRequest.newBuilder().setTaskId(task).build(),
              deadline);
      return access(answer.getJwt(), answer.getUrl());
    } catch (RemoteException e) {
      // The vendor's word for a task that has gone.
      if (Failures.refused(e, ConnectCode.FAILED_PRECONDITION)
          && state(sandbox, deadline) == State.GONE) {
        throw ended();
      }
      throw e;
    }
  }

  private static CommandRouterAccess access(String jwt, String url) {
    return CommandRouterAccess.newBuilder().setJwt(jwt).setUrl(url).build();
  }

  /** How a sandbox is. */
  State state(String sandbox, Deadline deadline) throws InterruptedException {
    return result(sandbox, 0, deadline).isPresent() ? State.GONE : State.RUNNING;
  }

  /** How a sandbox ended, empty while it runs; one that nobody knows has ended. */
  private Optional<GenericResult> result(String sandbox, float seconds, Deadline deadline)
      throws InterruptedException {
    SandboxWaitRequest request =
        SandboxWaitRequest.newBuilder().setSandboxId(sandbox).setTimeout(seconds).build();
    try {
      GenericResult result =
          calls
              .call(
                  "asking for the sandbox",
                  of(sandbox, ModalClient.SANDBOX_WAIT, ModalClient.SANDBOX_WAIT_V2),
                  request,
                  deadline)
              .getResult();
      return Optional.of(result)
          .filter(how -> how.getStatus() != GenericStatus.GENERIC_STATUS_UNSPECIFIED);
    } catch (RemoteException e) {
      if (gone(e)) {
        return Optional.of(GenericResult.getDefaultInstance());
      }
      throw e;
    }
  }

  /** Ends a sandbox and waits until it has. */
  ReleaseOutcome terminate(String sandbox, Deadline deadline) throws InterruptedException {
    SandboxTerminateResponse before;
    try {
      before =
          calls.call(
              "ending the sandbox",
              of(sandbox, ModalClient.SANDBOX_TERMINATE, ModalClient.SANDBOX_TERMINATE_V2),
              SandboxTerminateRequest.newBuilder().setSandboxId(sandbox).build(),
              deadline);
    } catch (RemoteException e) {
      if (gone(e)) {
        return ReleaseOutcome.ALREADY_GONE;
      }
      throw e;
    }
    if (before.getExistingResult().getStatus() != GenericStatus.GENERIC_STATUS_UNSPECIFIED) {
      return ReleaseOutcome.ALREADY_GONE;
    }
    // The answer comes before the end.
    while (result(sandbox, seconds(deadline), deadline).isEmpty()) {
      if (deadline.expired()) {
        throw new RemoteException(Kind.TIMEOUT, "the sandbox has not ended before the deadline");
      }
    }
    return ReleaseOutcome.DESTROYED;
  }

  /** Less than is left, so that the answer comes in time. */
  private static float seconds(Deadline deadline) {
    return Math.min(WAIT_SECONDS, deadline.remaining().toMillis() * 0.8f / 1000);
  }

  /** Where its declared ports are reached. */
  List<TunnelData> tunnels(String sandbox, Deadline deadline) throws InterruptedException {
    SandboxGetTunnelsResponse answer =
        calls.call(
            "asking for the sandbox's tunnels",
            of(sandbox, ModalClient.SANDBOX_GET_TUNNELS, ModalClient.SANDBOX_GET_TUNNELS_V2),
            SandboxGetTunnelsRequest.newBuilder()
                .setSandboxId(sandbox)
                .setTimeout(seconds(deadline))
                .build(),
            deadline);
    if (answer.getResult().getStatus() == GenericStatus.GENERIC_STATUS_TIMEOUT) {
      throw new RemoteException(Kind.TIMEOUT, "the sandbox's tunnels are not ready in time");
    }
    return answer.getTunnelsList();
  }

  /** All sandboxes of an app that run, of both kinds. */
  List<SandboxInfo> list(String app, List<SandboxTag> tags, Deadline deadline)
      throws InterruptedException {
    List<SandboxInfo> found = new ArrayList<>();
    double before = 0;
    while (true) {
      List<SandboxInfo> page =
          calls
              .call(
                  "listing sandboxes",
                  ModalClient.SANDBOX_LIST_V2,
                  SandboxListRequest.newBuilder()
                      .setAppId(app)
                      .setBeforeTimestamp(before)
                      .addAllTags(tags)
                      .build(),
                  deadline)
              .getSandboxesList();
      if (page.isEmpty()) {
        return found;
      }
      found.addAll(page);
      before = page.get(page.size() - 1).getCreatedAt();
    }
  }

  List<SandboxTag> tags(String sandbox, Deadline deadline) throws InterruptedException {
    return calls
        .call(
            "reading the sandbox's tags",
            of(sandbox, ModalClient.SANDBOX_TAGS_GET, ModalClient.SANDBOX_TAGS_GET_V2),
            SandboxTagsGetRequest.newBuilder().setSandboxId(sandbox).build(),
            deadline)
        .getTagsList();
  }

  /** Replaces all tags. */
  void tag(String sandbox, List<SandboxTag> tags, Deadline deadline) throws InterruptedException {
    SandboxTagsSetRequest.Builder request =
        SandboxTagsSetRequest.newBuilder().setSandboxId(sandbox).addAllTags(tags);
    if (firstKind(sandbox)) {
      request.setEnvironmentName(calls.settings().environment());
    }
    Object unused =
        calls.call(
            "marking the sandbox",
            of(sandbox, ModalClient.SANDBOX_TAGS_SET, ModalClient.SANDBOX_TAGS_SET_V2),
            request.build(),
            deadline);
  }

  /** Deletes an image; one that is gone is fine. */
  void deleteImage(String image, Deadline deadline) throws InterruptedException {
    try {
      Object unused =
          calls.call(
              "deleting the image",
              ModalClient.IMAGE_DELETE,
              ImageDeleteRequest.newBuilder().setImageId(image).build(),
              deadline);
    } catch (RemoteException e) {
      if (!gone(e)) {
        throw e;
      }
    }
  }

  static boolean gone(RemoteException e) {
    return Failures.refused(e, ConnectCode.NOT_FOUND);
  }
}
