package io.sandboxspi.remote.modal;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.modal.wire.GenericResult;
import io.sandboxspi.remote.modal.wire.GenericResult.GenericStatus;
import io.sandboxspi.remote.modal.wire.Image;
import io.sandboxspi.remote.modal.wire.ImageGetOrCreateRequest;
import io.sandboxspi.remote.modal.wire.ImageGetOrCreateResponse;
import io.sandboxspi.remote.modal.wire.ImageJoinStreamingRequest;
import io.sandboxspi.remote.modal.wire.ImageJoinStreamingResponse;
import io.sandboxspi.remote.modal.wire.ImageRegistryConfig;
import io.sandboxspi.remote.modal.wire.ModalClient;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.util.Optional;

/** Finds images by their names; the vendor makes them when it does not know them yet. */
final class Images {
  private static final int STATIC_CREDENTIALS = 4;
  private static final int LONGEST = 300;
  private static final float JOIN_SECONDS = 55;

  private final ControlPlane plane;

  Images(ControlPlane plane) {
    this.plane = plane;
  }

  /** The id of the image that options name. */
  String find(ModalOptions options, String app, Deadline deadline) throws InterruptedException {
    if (options.image().startsWith("im-")) {
      return options.image();
    }
    Settings settings = plane.calls().settings();
    String version =
        settings.builderVersion().isEmpty()
            ? plane.builderVersion(settings.environment(), deadline)
            : settings.builderVersion();
    Image.Builder image = Image.newBuilder().addDockerfileCommands("FROM " + options.image());
    options
        .registrySecret()
        .ifPresent(
            secret ->
                image.setImageRegistryConfig(
                    ImageRegistryConfig.newBuilder()
                        .setRegistryAuthType(STATIC_CREDENTIALS)
                        .setSecretId(secret)));
    ImageGetOrCreateResponse answer =
        plane
            .calls()
            .call(
                "finding the image",
                ModalClient.IMAGE_GET_OR_CREATE,
                ImageGetOrCreateRequest.newBuilder()
                    .setAppId(app)
                    .setImage(image)
                    .setBuilderVersion(version)
                    .build(),
                deadline);
    GenericResult result =
        made(answer.getResult()) ? answer.getResult() : join(answer.getImageId(), deadline);
    if (result.getStatus() != GenericStatus.GENERIC_STATUS_SUCCESS) {
      throw failed(options.image(), result);
    }
    return answer.getImageId();
  }

  private static boolean made(GenericResult result) {
    return result.getStatus() != GenericStatus.GENERIC_STATUS_UNSPECIFIED;
  }

  /** Waits for an image that is being made; a stream that ends or breaks is opened again. */
  private GenericResult join(String image, Deadline deadline) throws InterruptedException {
    String[] last = {""};
    int broken = 0;
    while (true) {
      ImageJoinStreamingRequest request =
          ImageJoinStreamingRequest.newBuilder()
              .setImageId(image)
              .setTimeout(Math.min(JOIN_SECONDS, deadline.remaining().toMillis() * 0.8f / 1000))
              .setLastEntryId(last[0])
              .build();
      try {
        Optional<ImageJoinStreamingResponse> answer =
            plane
                .calls()
                .first(
                    "waiting for the image",
                    ModalClient.IMAGE_JOIN_STREAMING,
                    request,
                    message -> {
                      if (!message.getEntryId().isEmpty()) {
                        last[0] = message.getEntryId();
                      }
                      return made(message.getResult());
                    },
                    deadline);
        if (answer.isPresent()) {
          return answer.get().getResult();
        }
      } catch (RemoteException e) {
        if (!Failures.transientOne(e) || ++broken > Rpc.Again.CONTROL.attempts()) {
          throw e;
        }
      }
      if (deadline.expired()) {
        throw new RemoteException(Kind.TIMEOUT, "the image was not made before the deadline");
      }
    }
  }

  private static SandboxException failed(String image, GenericResult result) {
    String why = result.getException().strip();
    return SandboxException.of(
        ErrorCode.CREATE_FAILED,
        Operation.CREATE,
        "image "
            + image
            + " cannot be made: "
            + (why.isEmpty()
                ? result.getStatus().name()
                : why.substring(0, Math.min(LONGEST, why.length()))));
  }
}
