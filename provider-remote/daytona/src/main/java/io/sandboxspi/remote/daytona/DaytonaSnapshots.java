package io.sandboxspi.remote.daytona;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.spi.BackendRef;
import io.sandboxspi.spi.BackendRequest;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.NativeSnapshots;
import io.sandboxspi.spi.SandboxBackend;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Snapshots by the vendor: of the whole disk, without memory. */
final class DaytonaSnapshots implements NativeSnapshots {
  private static final String SNAPSHOT = "snapshot";
  private static final String PREFIX = "sandbox-";

  private final DaytonaProvider provider;

  DaytonaSnapshots(DaytonaProvider provider) {
    this.provider = provider;
  }

  @Override
  public Map<String, String> take(BackendRef ref, Deadline deadline) throws InterruptedException {
    Connection connection = provider.connection(ref.data());
    // By its name one is found whose beginning got no answer, and by people who look for leftovers.
    OneSnapshot snapshot =
        new OneSnapshot(
            connection.plane().orElseThrow(),
            new SnapshotCalls(connection.wire()),
            DaytonaProvider.sandbox(ref),
            PREFIX + UUID.randomUUID());
    try {
      snapshot.take(deadline);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT).build();
    }
    Map<String, String> data = new HashMap<>(connection.reference());
    data.put(SNAPSHOT, snapshot.name());
    return data;
  }

  /** What the options say of snapshot, image and size is the snapshot's by now. */
  @Override
  public SandboxBackend restore(
      BackendRequest request, Map<String, String> snapshot, Deadline deadline)
      throws InterruptedException {
    return provider.make(request, Optional.of(name(snapshot)), deadline);
  }

  @Override
  public void delete(Map<String, String> snapshot, Deadline deadline) throws InterruptedException {
    Connection connection = provider.connection(snapshot);
    try {
      new SnapshotCalls(connection.wire()).delete(name(snapshot), deadline);
    } catch (RemoteException e) {
      throw e.as(ErrorCode.SNAPSHOT_FAILED, Operation.SNAPSHOT).build();
    }
  }

  private static String name(Map<String, String> snapshot) {
    String name = snapshot.getOrDefault(SNAPSHOT, "");
    if (!name.matches(PREFIX + "[0-9a-f-]{36}")) {
      throw SandboxException.invalid("snapshot", "of another form", "one of provider daytona");
    }
    return name;
  }
}
