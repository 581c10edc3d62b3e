package io.sandboxspi.core.session;

import io.sandboxspi.Capability;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.Lane;
import io.sandboxspi.core.time.LaneTask;
import io.sandboxspi.spi.Availability;
import io.sandboxspi.spi.SandboxProvider;
import java.time.Duration;
import java.util.Set;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * What a provider says of itself. It should answer at once; one that does not is unavailable (spec
 * S-DISC-04).
 *
 * @param capabilities what it can do here
 * @param availability whether it can work here
 */
public record ProviderFacts(Set<Capability> capabilities, Availability availability) {
  /** How long an answer is waited for. */
  public static final Duration PATIENCE = Duration.ofSeconds(5);

  private static final Logger LOG = LoggerFactory.getLogger(ProviderFacts.class);
  private static final Lane LANE = Lane.platform("sandbox-discovery");

  /** Copies the set. */
  public ProviderFacts {
    capabilities = Set.copyOf(capabilities);
  }

  /**
   * Asks a provider on a thread of its own.
   *
   * @throws InterruptedException when interrupted; the provider is interrupted too
   */
  public static ProviderFacts ask(SandboxProvider provider) throws InterruptedException {
    return ask(provider, PATIENCE);
  }

  static ProviderFacts ask(SandboxProvider provider, Duration patience)
      throws InterruptedException {
    LaneTask<ProviderFacts> answer =
        LANE.call(() -> new ProviderFacts(provider.capabilities(), provider.availability()));
    try {
      return answer.get(patience.toNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException silent) {
      Callback.when(answer, (facts, failure) -> LOG.debug("a silent provider answered", failure));
      return new ProviderFacts(
          Set.of(), Availability.unavailable("it did not say in " + patience + " what it can do"));
    } catch (ExecutionException failed) {
      throw thrown(failed);
    } finally {
      answer.interrupt();
    }
  }

  private static RuntimeException thrown(ExecutionException failed) {
    if (failed.getCause() instanceof RuntimeException e) {
      return e;
    }
    if (failed.getCause() instanceof Error e) {
      throw e;
    }
    return new IllegalStateException(failed);
  }
}
