package io.sandboxspi.remote.modal;

import com.google.protobuf.ByteString;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.modal.Rpc.Again;
import io.sandboxspi.remote.modal.wire.TaskCommandRouter;
import io.sandboxspi.remote.modal.wire.TaskSnapshotDirectoryRequest;
import io.sandboxspi.remote.modal.wire.TaskSnapshotFilesystemRequest;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.SandboxBackend;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Snapshots by the vendor: images of everything in a sandbox, or of its workspace. */
final class ModalSnapshots implements NativeSnapshots {
  private static final String KIND = "kind";
  private static final String IMAGE = "image";

  /** They end with their deletion only. */
  private static final long FOREVER = -1;

  private final ModalProvider provider;
  private final Settings.Snapshots kind;

  ModalSnapshots(ModalProvider provider, Settings.Snapshots kind) {
    this.provider = provider;
    this.kind = kind;
  }

  @Override
  public Map<String, String> take(BackendRef given, Deadline deadline) throws InterruptedException {
    ModalRef ref = ModalRef.parse(given);
    Optional<ModalBackend> known = provider.live(ref.sandbox());
    Router router =
        known.isPresent()
            ? known.get().router()
            : new Router(provider.plane(ref.client()), ref.sandbox());
    try {
      Map<String, String> snapshot = new HashMap<>(OptionReader.data(ref.client()));
      snapshot.put(KIND, kind.name());
      snapshot.put(IMAGE, image(router, ref, deadline));
      return snapshot;
    } catch (RemoteException e) {
      throw e.as(ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT).build();
    } finally {
      if (known.isEmpty()) {
        router.close();
      }
    }
  }

  private String image(Router router, ModalRef ref, Deadline deadline) throws InterruptedException {
    String name = UUID.randomUUID().toString();
    Again again =
        new Again(Again.ROUTER.attempts(), Again.ROUTER.first(), Again.ROUTER.most(), false);
    String image;
    if (kind == Settings.Snapshots.DIRECTORY) {
      image =
          router
              .call(
                  "taking a snapshot of the workspace",
                  TaskCommandRouter.TASK_SNAPSHOT_DIRECTORY,
                  task ->
                      TaskSnapshotDirectoryRequest.newBuilder()
                          .setTaskId(task)
                          .setPath(ByteString.copyFromUtf8(ref.workspace()))
                          .setSnapshotId(name)
                          .setTtlSeconds(FOREVER)
                          .build(),
                  again,
                  deadline)
              .getImageId();
    } else {
      image =
          router
              .call(
                  "taking a snapshot of the sandbox",
                  TaskCommandRouter.TASK_SNAPSHOT_FILESYSTEM,
                  task ->
                      TaskSnapshotFilesystemRequest.newBuilder()
                          .setTaskId(task)
                          .setSnapshotId(name)
                          .setTtlSeconds(FOREVER)
                          .build(),
                  again,
                  deadline)
              .getImageId();
    }
    if (!image.startsWith("im-")) {
      throw new RemoteException(Kind.MALFORMED, "taking a snapshot: the answer names no image");
    }
    return image;
  }

  @Override
  public SandboxBackend restore(
      BackendRequest request, Map<String, String> snapshot, Deadline deadline)
      throws InterruptedException {
    String image = image(snapshot);
    boolean whole = Settings.Snapshots.FILESYSTEM.name().equals(snapshot.get(KIND));
    return provider.make(
        request,
        whole ? Optional.of(image) : Optional.empty(),
        whole ? Optional.empty() : Optional.of(image),
        deadline);
  }

  private static ClientOptions client(Map<String, String> snapshot) {
    return new OptionReader(ModalProvider.NAME, snapshot).client(ModalOptions.USER_AGENT);
  }

  private static String image(Map<String, String> snapshot) {
    String image = snapshot.getOrDefault(IMAGE, "");
    if (!image.startsWith("im-") || !snapshot.containsKey(KIND)) {
      throw SandboxException.invalid("snapshot", "of another form", "one of provider modal");
    }
    return image;
  }

  @Override
  public void delete(Map<String, String> snapshot, Deadline deadline) throws InterruptedException {
    try {
      provider.plane(client(snapshot)).deleteImage(image(snapshot), deadline);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT).build();
    }
  }
}
