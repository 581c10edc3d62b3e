package io.sandboxspi.core.session;

import io.sandboxspi.Snapshot;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.SnapshotStoreProvider;
import java.io.IOException;
import java.io.InputStream;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Fails when everything is written, so many times. */
public final class FailingSnapshots implements SnapshotStoreProvider {
  static final String NAME = "failing";
  static final AtomicInteger FAILURES = new AtomicInteger();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public SnapshotStore open(Map<String, String> options) {
    SnapshotStore memory = new MemorySnapshots().open(options);
    return new SnapshotStore() {
      @Override
      public Snapshot save(Draft draft, Content content, Deadline deadline)
          throws InterruptedException {
        return memory.save(
            draft,
            out -> {
              String fingerprint = content.writeTo(out);
              if (FAILURES.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                throw new IOException("the disk is full");
              }
              return fingerprint;
            },
            deadline);
      }

      @Override
      public List<Snapshot> list(String lineage, Deadline deadline) throws InterruptedException {
        return memory.list(lineage, deadline);
      }

      @Override
      public InputStream open(Snapshot snapshot, Deadline deadline) throws InterruptedException {
        return memory.open(snapshot, deadline);
      }

      @Override
      public void delete(Snapshot snapshot, Deadline deadline) throws InterruptedException {
        memory.delete(snapshot, deadline);
      }
    };
  }
}
