package io.sandboxspi.core;

import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.SandboxProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds providers; one that cannot be loaded does not hide the others (spec S-DISC-01). */
final class ProviderLoader {
  private static final Logger LOG = LoggerFactory.getLogger(ProviderLoader.class);

  private ProviderLoader() {}

  /** A provider, or what is known of a broken one. */
  record Found(ProviderInfo info, Optional<SandboxProvider> provider) {}

  static List<Found> load() {
    ClassLoader context = Thread.currentThread().getContextClassLoader();
    return load(context != null ? context : ProviderLoader.class.getClassLoader());
  }

  static List<Found> load(ClassLoader loader) {
    List<Found> found = new ArrayList<>();
    Iterator<SandboxProvider> providers =
        ServiceLoader.load(SandboxProvider.class, loader).iterator();
    while (true) {
      try {
        if (!providers.hasNext()) {
          return found;
        }
        found.add(describe(providers.next()));
      } catch (ServiceConfigurationError | LinkageError e) {
        LOG.debug("a provider cannot be loaded", e);
        found.add(broken(e));
      }
    }
  }

  private static Found describe(SandboxProvider provider) {
    String implementation = provider.getClass().getName();
    try {
      return new Found(
          new ProviderInfo(
              provider.name(), implementation, provider.capabilities(), provider.availability()),
          Optional.of(provider));
    } catch (RuntimeException | LinkageError e) {
      LOG.debug("provider {} cannot describe itself", implementation, e);
      return new Found(
          new ProviderInfo(
              implementation, implementation, Set.of(), Availability.unavailable(reason(e))),
          Optional.empty());
    }
  }

  private static Found broken(Throwable failure) {
    return new Found(
        new ProviderInfo(
            "(broken)", "(unknown)", Set.of(), Availability.unavailable(reason(failure))),
        Optional.empty());
  }

  private static String reason(Throwable failure) {
    Throwable root = failure;
    while (root.getCause() != null && root.getCause() != root) {
      root = root.getCause();
    }
    String message = failure.getMessage();
    return root == failure
        ? String.valueOf(message)
        : message + ": " + root.getClass().getSimpleName() + ": " + root.getMessage();
  }
}
