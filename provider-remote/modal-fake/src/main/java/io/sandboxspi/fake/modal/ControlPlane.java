package io.sandboxspi.fake.modal;

import com.google.protobuf.Empty;
import io.grpc.Metadata;
import io.grpc.ServerServiceDefinition;
import io.grpc.Status;
import io.grpc.stub.ServerCalls;
import io.sandboxspi.remote.modal.wire.AppGetOrCreateRequest;
import io.sandboxspi.remote.modal.wire.AppGetOrCreateResponse;
import io.sandboxspi.remote.modal.wire.AuthTokenGetResponse;
import io.sandboxspi.remote.modal.wire.CommandRouterAccess;
import io.sandboxspi.remote.modal.wire.EnvironmentGetOrCreateResponse;
import io.sandboxspi.remote.modal.wire.EnvironmentMetadata;
import io.sandboxspi.remote.modal.wire.EnvironmentSettings;
import io.sandboxspi.remote.modal.wire.GenericResult;
import io.sandboxspi.remote.modal.wire.ImageFromIdResponse;
import io.sandboxspi.remote.modal.wire.ImageGetOrCreateRequest;
import io.sandboxspi.remote.modal.wire.ImageGetOrCreateResponse;
import io.sandboxspi.remote.modal.wire.ImageJoinStreamingResponse;
import io.sandboxspi.remote.modal.wire.ModalClient;
import io.sandboxspi.remote.modal.wire.ObjectCreationType;
import io.sandboxspi.remote.modal.wire.SandboxCreateRequest;
import io.sandboxspi.remote.modal.wire.SandboxCreateResponse;
import io.sandboxspi.remote.modal.wire.SandboxCreateV2Request;
import io.sandboxspi.remote.modal.wire.SandboxCreateV2Response;
import io.sandboxspi.remote.modal.wire.SecretGetOrCreateResponse;
import io.sandboxspi.remote.modal.wire.TaskLogs;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;

/** Apps, images, and the making of sandboxes. */
final class ControlPlane {
  private final Sandboxes sandboxes;
  private final Tokens tokens;
  private final Supplier<String> address;
  private final Map<String, String> apps = new ConcurrentHashMap<>();

  /**
   * A control plane.
   *
   * @param address host and port of the routers
   */
  ControlPlane(Sandboxes sandboxes, Tokens tokens, Supplier<String> address) {
    this.sandboxes = sandboxes;
    this.tokens = tokens;
    this.address = address;
  }

  ServerServiceDefinition service() {
    ServerServiceDefinition.Builder service =
        ServerServiceDefinition.builder("modal.client.ModalClient");
    Services.unary(
        service,
        ModalClient.AUTH_TOKEN_GET,
        request -> AuthTokenGetResponse.newBuilder().setToken(tokens.make("control")).build());
    Services.unary(service, ModalClient.APP_GET_OR_CREATE, this::app);
    Services.unary(
        service,
        ModalClient.ENVIRONMENT_GET_OR_CREATE,
        request -> {
          if (request.getDeploymentName().equals("nowhere")) {
            throw Sandboxes.notFound("environment nowhere");
          }
          return EnvironmentGetOrCreateResponse.newBuilder()
              .setEnvironmentId("en-" + Sandboxes.word(22))
              .setMetadata(
                  EnvironmentMetadata.newBuilder()
                      .setName("main")
                      .setSettings(
                          EnvironmentSettings.newBuilder().setImageBuilderVersion("2025.06")))
              .build();
        });
    Services.unary(
        service,
        ModalClient.SECRET_GET_OR_CREATE,
        request ->
            SecretGetOrCreateResponse.newBuilder()
                .setSecretId(sandboxes.secret(request.getEnvDictMap()))
                .build());
    images(service);
    Services.unary(service, ModalClient.SANDBOX_CREATE, this::createFirst);
    Services.unary(service, ModalClient.SANDBOX_CREATE_V2, this::createSecond);
    new SandboxCalls(sandboxes, this::access).add(service);
    return service.build();
  }

  private AppGetOrCreateResponse app(AppGetOrCreateRequest request) {
    String name = request.getAppName();
    if (!name.matches("[a-zA-Z0-9._-]{1,64}")) {
      throw Status.INVALID_ARGUMENT.withDescription("bad name of an app").asRuntimeException();
    }
    boolean make =
        request.getObjectCreationType()
            == ObjectCreationType.OBJECT_CREATION_TYPE_CREATE_IF_MISSING;
    String known =
        make
            ? apps.computeIfAbsent(name, key -> "ap-" + Sandboxes.word(22))
            : apps.getOrDefault(name, "");
    if (known.isEmpty()) {
      throw Sandboxes.notFound("app " + name);
    }
    return AppGetOrCreateResponse.newBuilder().setAppId(known).build();
  }

  private void images(ServerServiceDefinition.Builder service) {
    FakeImages images = sandboxes.images();
    Services.unary(service, ModalClient.IMAGE_GET_OR_CREATE, this::image);
    ServerServiceDefinition.Builder unused =
        service.addMethod(
            ModalClient.IMAGE_JOIN_STREAMING,
            ServerCalls.asyncServerStreamingCall(
                (request, answers) -> {
                  answers.onNext(
                      ImageJoinStreamingResponse.newBuilder()
                          .setEntryId("1-0")
                          .addTaskLogs(TaskLogs.newBuilder().setData("pulling\n"))
                          .build());
                  GenericResult result = images.make(request.getImageId());
                  answers.onNext(
                      ImageJoinStreamingResponse.newBuilder()
                          .setEntryId("2-0")
                          .setResult(result)
                          .build());
                  answers.onNext(ImageJoinStreamingResponse.newBuilder().setEof(true).build());
                  answers.onCompleted();
                }));
    Services.unary(
        service,
        ModalClient.IMAGE_FROM_ID,
        request -> {
          images.check(request.getImageId());
          return ImageFromIdResponse.newBuilder().setImageId(request.getImageId()).build();
        });
    Services.unary(
        service,
        ModalClient.IMAGE_DELETE,
        request -> {
          images.delete(request.getImageId());
          return Empty.getDefaultInstance();
        });
  }

  private ImageGetOrCreateResponse image(ImageGetOrCreateRequest request) {
    if (request.getBuilderVersion().isEmpty()) {
      throw Status.INVALID_ARGUMENT.withDescription("no builder version").asRuntimeException();
    }
    String id = sandboxes.images().define(request.getImage());
    ImageGetOrCreateResponse.Builder answer = ImageGetOrCreateResponse.newBuilder().setImageId(id);
    sandboxes.images().result(id).ifPresent(answer::setResult);
    return answer.build();
  }

  private void known(String app) {
    if (!apps.containsValue(app)) {
      throw Sandboxes.notFound("app " + app);
    }
  }

  private static String key() {
    return Gate.header(Gate.HEADERS.get(), "x-idempotency-key");
  }

  private SandboxCreateResponse createFirst(SandboxCreateRequest request) {
    known(request.getAppId());
    Map<String, String> variables = new HashMap<>();
    sandboxes.secrets(request.getDefinition().getSecretIdsList(), java.util.List.of(), variables);
    FakeSandbox made =
        sandboxes.create(
            key(),
            false,
            request.getAppId(),
            request.getDefinition(),
            request.getTagsList(),
            variables);
    return SandboxCreateResponse.newBuilder().setSandboxId(made.id()).build();
  }

  private SandboxCreateV2Response createSecond(SandboxCreateV2Request request) {
    known(request.getAppId());
    Map<String, String> variables = new HashMap<>(request.getEphemeralSecrets().getContentsMap());
    sandboxes.secrets(
        request.getDefinition().getSecretIdsList(), request.getSecretSourcesList(), variables);
    FakeSandbox made =
        sandboxes.create(
            key(),
            true,
            request.getAppId(),
            request.getDefinition(),
            request.getTagsList(),
            variables);
    return SandboxCreateV2Response.newBuilder()
        .setSandboxId(made.id())
        .setTaskId(made.task())
        .addAllTunnels(SandboxCalls.tunnels(made))
        .setCommandRouterAccess(access(made))
        .build();
  }

  /** The vendor's clients want different schemes for the same. */
  CommandRouterAccess access(FakeSandbox sandbox) {
    Metadata headers = Gate.HEADERS.get();
    boolean python = Gate.header(headers, "x-modal-client-type").equals("1");
    return CommandRouterAccess.newBuilder()
        .setJwt(tokens.make(sandbox.task()))
        .setUrl((python ? "http://" : "https://") + address.get())
        .build();
  }
}
