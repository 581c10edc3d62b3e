package io.sandboxspi.tck.fault;

import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.SnapshotStoreProvider;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;

/** Wraps a snapshot store and carries out the fault plan of one kit. Found by name. */
public final class FaultySnapshots implements SnapshotStoreProvider {
  private static final String NAME = "tck";
  private static final String KIT = "kit";
  private static final Map<String, SnapshotStore> OPEN = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public SnapshotStore open(Map<String, String> options) {
    SnapshotStore store = OPEN.get(options.getOrDefault(KIT, ""));
    if (store == null) {
      throw SandboxException.invalid("option " + KIT, "unknown", "a kit that is open");
    }
    return store;
  }

  /** Puts a store behind the faults of a kit; the policy that names it. */
  public static SnapshotPolicy put(String kit, SnapshotStore store, FaultPlan plan, CallLog log) {
    OPEN.put(kit, new Faulty(store, new FaultySeam(plan, log)));
    return SnapshotPolicy.in(NAME).option(KIT, kit);
  }

  /** Forgets the store of a kit. */
  public static void remove(String kit) {
    OPEN.remove(kit);
  }

  private record Faulty(SnapshotStore delegate, FaultySeam seam) implements SnapshotStore {
    @Override
    public Snapshot save(Draft draft, Content content, Deadline deadline)
        throws InterruptedException {
      Optional<Object> ignored = seam.at(FaultPoint.SNAPSHOT_BEFORE, "");
      Snapshot saved =
          delegate.save(
              draft,
              out -> {
                String fingerprint = content.writeTo(out);
                Optional<Object> unused = seam.at(FaultPoint.SNAPSHOT_ARCHIVED, "");
                return fingerprint;
              },
              FaultySeam.still(deadline));
      ignored = seam.at(FaultPoint.SNAPSHOT_RETURN, "");
      return saved;
    }

    @Override
    public List<Snapshot> list(String lineage, Deadline deadline) throws InterruptedException {
      return delegate.list(lineage, deadline);
    }

    @Override
    public InputStream open(Snapshot snapshot, Deadline deadline) throws InterruptedException {
      Optional<Object> ignored = seam.at(FaultPoint.SNAPSHOT_OPEN, "");
      return delegate.open(snapshot, deadline);
    }

    @Override
    public void delete(Snapshot snapshot, Deadline deadline) throws InterruptedException {
      delegate.delete(snapshot, deadline);
    }
  }
}
