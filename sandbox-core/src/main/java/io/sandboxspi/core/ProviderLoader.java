package io.sandboxspi.core;

import io.sandboxspi.core.session.ProviderFacts;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.SandboxProvider;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.List;
import java.util.Optional;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.Set;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Finds providers; one that cannot be loaded does not hide the others (spec S-DISC-01). */
final class ProviderLoader {
  private static final Logger LOG = LoggerFactory.getLogger(ProviderLoader.class);

  private ProviderLoader() {}

  /**
   * A provider, or what is known of a broken one. Only its name is asked for at once: what it can
   * do here may take the libraries of its backend to tell.
   *
   * @param info what it says of itself
   * @param provider empty if it is known to be broken
   */
  record Found(String name, Supplier<ProviderInfo> info, Optional<SandboxProvider> provider) {}

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
        found.add(named(providers.next()));
      } catch (ServiceConfigurationError | LinkageError e) {
        LOG.debug("a provider cannot be loaded", e);
        found.add(broken(e));
      }
    }
  }

  private static Found named(SandboxProvider provider) {
    try {
      String name = provider.name();
      return new Found(name, () -> described(name, provider), Optional.of(provider));
    } catch (RuntimeException | LinkageError e) {
      ProviderInfo info = undescribed(provider, e);
      return new Found(info.name(), () -> info, Optional.empty());
    }
  }

  private static ProviderInfo described(String name, SandboxProvider provider) {
    try {
      ProviderFacts facts = ProviderFacts.ask(provider);
      return new ProviderInfo(
          name, provider.getClass().getName(), facts.capabilities(), facts.availability());
    } catch (RuntimeException | LinkageError e) {
      return undescribed(provider, e);
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
      return undescribed(provider, e);
    }
  }

  private static ProviderInfo undescribed(SandboxProvider provider, Throwable failure) {
    String implementation = provider.getClass().getName();
    LOG.debug("provider {} cannot describe itself", implementation, failure);
    return new ProviderInfo(
        implementation, implementation, Set.of(), Availability.unavailable(reason(failure)));
  }

  private static Found broken(Throwable failure) {
    ProviderInfo info =
        new ProviderInfo(
            "(broken)", "(unknown)", Set.of(), Availability.unavailable(reason(failure)));
    return new Found(info.name(), () -> info, Optional.empty());
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
