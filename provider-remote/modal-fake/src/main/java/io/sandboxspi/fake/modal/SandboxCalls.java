package io.sandboxspi.fake.modal;

import com.google.protobuf.Empty;
import io.grpc.MethodDescriptor;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.sandboxspi.remote.modal.wire.CommandRouterAccess;
import io.sandboxspi.remote.modal.wire.GenericResult;
import io.sandboxspi.remote.modal.wire.ModalClient;
import io.sandboxspi.remote.modal.wire.PortSpec;
import io.sandboxspi.remote.modal.wire.SandboxGetCommandRouterAccessResponse;
import io.sandboxspi.remote.modal.wire.SandboxGetFromNameRequest;
import io.sandboxspi.remote.modal.wire.SandboxGetFromNameResponse;
import io.sandboxspi.remote.modal.wire.SandboxGetTaskIdRequest;
import io.sandboxspi.remote.modal.wire.SandboxGetTaskIdResponse;
import io.sandboxspi.remote.modal.wire.SandboxGetTunnelsRequest;
import io.sandboxspi.remote.modal.wire.SandboxGetTunnelsResponse;
import io.sandboxspi.remote.modal.wire.SandboxInfo;
import io.sandboxspi.remote.modal.wire.SandboxListRequest;
import io.sandboxspi.remote.modal.wire.SandboxListResponse;
import io.sandboxspi.remote.modal.wire.SandboxTag;
import io.sandboxspi.remote.modal.wire.SandboxTagsGetRequest;
import io.sandboxspi.remote.modal.wire.SandboxTagsGetResponse;
import io.sandboxspi.remote.modal.wire.SandboxTagsSetRequest;
import io.sandboxspi.remote.modal.wire.SandboxTerminateRequest;
import io.sandboxspi.remote.modal.wire.SandboxTerminateResponse;
import io.sandboxspi.remote.modal.wire.SandboxWaitRequest;
import io.sandboxspi.remote.modal.wire.SandboxWaitResponse;
import io.sandboxspi.remote.modal.wire.TaskGetCommandRouterAccessResponse;
import io.sandboxspi.remote.modal.wire.TunnelData;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Function;

/** What is asked of a sandbox that exists, by calls of both kinds. */
final class SandboxCalls {
  private final Sandboxes sandboxes;
  private final Function<FakeSandbox, CommandRouterAccess> access;

  SandboxCalls(Sandboxes sandboxes, Function<FakeSandbox, CommandRouterAccess> access) {
    this.sandboxes = sandboxes;
    this.access = access;
  }

  private static <Q, A> void both(
      ServerServiceDefinition.Builder service,
      MethodDescriptor<Q, A> first,
      MethodDescriptor<Q, A> second,
      Function<Q, A> work) {
    Services.unary(service, first, work);
    Services.unary(service, second, work);
  }

  void add(ServerServiceDefinition.Builder service) {
    Services.later(service, ModalClient.SANDBOX_WAIT, this::await);
    Services.later(service, ModalClient.SANDBOX_WAIT_V2, this::await);
    both(service, ModalClient.SANDBOX_TERMINATE, ModalClient.SANDBOX_TERMINATE_V2, this::terminate);
    both(service, ModalClient.SANDBOX_GET_TASK_ID, ModalClient.SANDBOX_GET_TASK_ID_V2, this::task);
    both(
        service,
        ModalClient.SANDBOX_GET_TUNNELS,
        ModalClient.SANDBOX_GET_TUNNELS_V2,
        this::tunnels);
    both(
        service,
        ModalClient.SANDBOX_GET_FROM_NAME,
        ModalClient.SANDBOX_GET_FROM_NAME_V2,
        this::named);
    Services.unary(service, ModalClient.SANDBOX_LIST, request -> list(request, false));
    Services.unary(service, ModalClient.SANDBOX_LIST_V2, request -> list(request, true));
    both(service, ModalClient.SANDBOX_TAGS_GET, ModalClient.SANDBOX_TAGS_GET_V2, this::tags);
    both(service, ModalClient.SANDBOX_TAGS_SET, ModalClient.SANDBOX_TAGS_SET_V2, this::tag);
    Services.unary(
        service,
        ModalClient.TASK_GET_COMMAND_ROUTER_ACCESS,
        request -> {
          CommandRouterAccess how = access.apply(running(request.getTaskId()));
          return TaskGetCommandRouterAccessResponse.newBuilder()
              .setJwt(how.getJwt())
              .setUrl(how.getUrl())
              .build();
        });
    Services.unary(
        service,
        ModalClient.SANDBOX_GET_COMMAND_ROUTER_ACCESS,
        request -> {
          FakeSandbox sandbox =
              request.hasTaskId()
                  ? running(request.getTaskId())
                  : running(sandboxes.known(request.getSandboxId()).task());
          CommandRouterAccess how = access.apply(sandbox);
          return SandboxGetCommandRouterAccessResponse.newBuilder()
              .setJwt(how.getJwt())
              .setUrl(how.getUrl())
              .build();
        });
  }

  private FakeSandbox running(String task) {
    return sandboxes.running().stream()
        .filter(each -> each.task().equals(task))
        .findFirst()
        .orElseThrow(
            () ->
                Status.FAILED_PRECONDITION
                    .withDescription("the task has no command router")
                    .asRuntimeException());
  }

  /** The result is missing while it runs. */
  private CompletableFuture<SandboxWaitResponse> await(SandboxWaitRequest request) {
    FakeSandbox sandbox = sandboxes.known(request.getSandboxId());
    return sandbox
        .result()
        .thenApply(result -> SandboxWaitResponse.newBuilder().setResult(result).build())
        .completeOnTimeout(
            SandboxWaitResponse.getDefaultInstance(),
            (long) (request.getTimeout() * 1000),
            TimeUnit.MILLISECONDS);
  }

  /** Answers before the end. */
  private SandboxTerminateResponse terminate(SandboxTerminateRequest request) {
    FakeSandbox sandbox = sandboxes.known(request.getSandboxId());
    SandboxTerminateResponse.Builder answer = SandboxTerminateResponse.newBuilder();
    sandbox.ended().ifPresent(answer::setExistingResult);
    sandboxes.terminate(sandbox);
    return answer.build();
  }

  private SandboxGetTaskIdResponse task(SandboxGetTaskIdRequest request) {
    FakeSandbox sandbox = sandboxes.known(request.getSandboxId());
    SandboxGetTaskIdResponse.Builder answer = SandboxGetTaskIdResponse.newBuilder();
    if (sandbox.ended().isPresent()) {
      return answer.setTaskResult(sandbox.ended().get()).build();
    }
    // One of the first kind waits for a machine.
    boolean waits = sandbox.id().length() == 25 && sandbox.asked() == 0;
    return waits ? answer.build() : answer.setTaskId(sandbox.task()).build();
  }

  static List<TunnelData> tunnels(FakeSandbox sandbox) {
    List<TunnelData> tunnels = new ArrayList<>();
    for (PortSpec port : sandbox.definition().getOpenPorts().getPortsList()) {
      tunnels.add(
          TunnelData.newBuilder()
              .setHost(
                  sandbox.id().substring(3).toLowerCase(java.util.Locale.ROOT)
                      + "-"
                      + port.getPort()
                      + ".modal.invalid")
              .setPort(443)
              .setContainerPort(port.getPort())
              .build());
    }
    return tunnels;
  }

  private SandboxGetTunnelsResponse tunnels(SandboxGetTunnelsRequest request) {
    if (sandboxes.tunnelsLate()) {
      return SandboxGetTunnelsResponse.newBuilder()
          .setResult(
              GenericResult.newBuilder()
                  .setStatus(GenericResult.GenericStatus.GENERIC_STATUS_TIMEOUT))
          .build();
    }
    return SandboxGetTunnelsResponse.newBuilder()
        .addAllTunnels(tunnels(sandboxes.known(request.getSandboxId())))
        .build();
  }

  private SandboxGetFromNameResponse named(SandboxGetFromNameRequest request) {
    return sandboxes.running().stream()
        .filter(each -> each.definition().getName().equals(request.getSandboxName()))
        .findFirst()
        .map(each -> SandboxGetFromNameResponse.newBuilder().setSandboxId(each.id()).build())
        .orElseThrow(() -> Sandboxes.notFound("sandbox " + request.getSandboxName()));
  }

  /** The newest first, page by page; the calls of the second kind answer both. */
  private SandboxListResponse list(SandboxListRequest request, boolean both) {
    SandboxListResponse.Builder answer = SandboxListResponse.newBuilder();
    sandboxes.all().stream()
        .filter(each -> both || each.id().length() == 25)
        .filter(each -> request.getIncludeFinished() || each.ended().isEmpty())
        .filter(each -> request.getAppId().isEmpty() || each.app().equals(request.getAppId()))
        .filter(each -> each.tags().containsAll(request.getTagsList()))
        .filter(
            each ->
                request.getBeforeTimestamp() == 0
                    || each.createdAt() < request.getBeforeTimestamp())
        .sorted(Comparator.comparing(FakeSandbox::createdAt).reversed())
        .limit(sandboxes.page())
        .forEach(each -> answer.addSandboxes(info(each)));
    return answer.build();
  }

  private static SandboxInfo info(FakeSandbox sandbox) {
    return SandboxInfo.newBuilder()
        .setId(sandbox.id())
        .setCreatedAt(sandbox.createdAt())
        .setAppId(sandbox.app())
        .addAllTags(sandbox.tags())
        .setName(sandbox.definition().getName())
        .setImageId(sandbox.definition().getImageId())
        .setTimeoutSecs(sandbox.definition().getTimeoutSecs())
        .build();
  }

  private SandboxTagsGetResponse tags(SandboxTagsGetRequest request) {
    return SandboxTagsGetResponse.newBuilder()
        .addAllTags(sandboxes.known(request.getSandboxId()).tags())
        .build();
  }

  /** All of them anew. */
  private Empty tag(SandboxTagsSetRequest request) {
    for (SandboxTag tag : request.getTagsList()) {
      if (!tag.getTagName().matches("[a-zA-Z0-9._-]{1,63}")
          || !tag.getTagValue().matches("[a-zA-Z0-9._-]{1,63}")) {
        throw Status.INVALID_ARGUMENT.withDescription("bad tag").asRuntimeException();
      }
    }
    sandboxes.known(request.getSandboxId()).tag(request.getTagsList());
    return Empty.getDefaultInstance();
  }
}
