package io.sandboxspi.core.snapshot;

import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.spi.Deadline;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.SnapshotStoreProvider;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.NavigableMap;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Keeps snapshots in the memory of this JVM, for tests. The option {@code space} tells stores
 * apart; the same name is the same store. Thread-safe.
 */
public final class MemorySnapshots implements SnapshotStoreProvider {
  /** The name a policy uses. */
  public static final String NAME = "memory";

  /** The option that tells stores apart. */
  public static final String SPACE = "space";

  private static final Map<String, Store> SPACES = new ConcurrentHashMap<>();

  @Override
  public String name() {
    return NAME;
  }

  @Override
  public SnapshotStore open(Map<String, String> options) {
    for (String name : options.keySet()) {
      if (!name.equals(SPACE)) {
        throw SandboxException.invalid("option of snapshot store " + NAME, name, SPACE);
      }
    }
    return SPACES.computeIfAbsent(options.getOrDefault(SPACE, ""), name -> new Store());
  }

  /** Forgets everything that a store holds. */
  public static void clear(String space) {
    SPACES.remove(space);
  }

  private record Saved(Snapshot snapshot, byte[] content) {}

  private static final class Store implements SnapshotStore {
    private final Map<String, NavigableMap<Long, Saved>> lineages = new TreeMap<>();

    @Override
    public Snapshot save(Draft draft, Content content, Deadline deadline)
        throws InterruptedException {
      ByteArrayOutputStream out = new ByteArrayOutputStream();
      String fingerprint;
      try {
        fingerprint = content.writeTo(out);
      } catch (IOException e) {
        throw SnapshotErrors.failed("its content could not be read", e);
      }
      synchronized (lineages) {
        NavigableMap<Long, Saved> saved =
            lineages.computeIfAbsent(draft.lineage(), key -> new TreeMap<>());
        long sequence =
            Math.max(Math.max(1, draft.oldest()), saved.isEmpty() ? 1 : saved.lastKey() + 1);
        Snapshot snapshot =
            new Snapshot(
                NAME,
                draft.lineage(),
                sequence,
                draft.kind(),
                fingerprint,
                out.size(),
                Instant.now(),
                draft.data());
        saved.put(sequence, new Saved(snapshot, out.toByteArray()));
        return snapshot;
      }
    }

    @Override
    public List<Snapshot> list(String lineage, Deadline deadline) {
      synchronized (lineages) {
        NavigableMap<Long, Saved> saved = lineages.get(lineage);
        return saved == null
            ? List.of()
            : saved.descendingMap().values().stream().map(Saved::snapshot).toList();
      }
    }

    @Override
    public InputStream open(Snapshot snapshot, Deadline deadline) {
      synchronized (lineages) {
        NavigableMap<Long, Saved> saved = lineages.get(snapshot.lineage());
        Saved found = saved == null ? null : saved.get(snapshot.sequence());
        if (found == null) {
          throw SnapshotErrors.missing(snapshot);
        }
        return new ByteArrayInputStream(found.content());
      }
    }

    @Override
    public void delete(Snapshot snapshot, Deadline deadline) {
      synchronized (lineages) {
        NavigableMap<Long, Saved> saved = lineages.get(snapshot.lineage());
        if (saved != null) {
          saved.remove(snapshot.sequence());
        }
      }
    }
  }
}
