package io.sandboxspi.core.snapshot;

import io.sandboxspi.SandboxException;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.spi.SnapshotStore;
import io.sandboxspi.spi.SnapshotStoreProvider;
import java.util.Iterator;
import java.util.Map;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.TreeMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds snapshot stores by name; one that cannot be loaded does not hide the others. */
public final class SnapshotStores {
  private static final Logger LOG = LoggerFactory.getLogger(SnapshotStores.class);

  private SnapshotStores() {}

  /**
   * The store that a policy names; empty for {@link SnapshotPolicy#NONE}.
   *
   * @throws SandboxException {@link io.sandboxspi.ErrorCode#INVALID_ARGUMENT} for an unknown name,
   *     listing the known ones, or a bad option
   */
  public static Optional<SnapshotStore> open(SnapshotPolicy policy) {
    return policy.enabled()
        ? Optional.of(open(policy.store(), policy.options()))
        : Optional.empty();
  }

  /** The store of this name. */
  public static SnapshotStore open(String name, Map<String, String> options) {
    Map<String, SnapshotStoreProvider> known = load();
    SnapshotStoreProvider provider = known.get(name);
    if (provider == null) {
      throw SandboxException.invalid(
          "snapshot store",
          '"' + name + '"',
          SnapshotPolicy.NONE + ", " + String.join(", ", known.keySet()));
    }
    return provider.open(options);
  }

  private static Map<String, SnapshotStoreProvider> load() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    Iterator<SnapshotStoreProvider> providers =
        ServiceLoader.load(
                SnapshotStoreProvider.class,
                context != null ? context : SnapshotStores.class.getClassLoader())
            .iterator();
    Map<String, SnapshotStoreProvider> known = new TreeMap<>();
    while (true) {
      try {
        if (!providers.hasNext()) {
          return known;
        }
        SnapshotStoreProvider provider = providers.next();
        SnapshotStoreProvider other = known.putIfAbsent(provider.name(), provider);
        if (other != null) {
          LOG.warn("snapshot store {} of {} is hidden by {}", provider.name(), provider, other);
        }
      } catch (ServiceConfigurationError | LinkageError e) {
        LOG.warn("a snapshot store cannot be loaded", e);
      }
    }
  }
}
