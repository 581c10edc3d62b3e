package io.sandboxspi.core;

import io.sandboxspi.Capability;
import io.sandboxspi.spi.Availability;
import java.util.Set;

/**
 * A provider as it was found.
 *
 * @param name the name to open it by; the implementation's name when it is broken
 * @param implementation the class
 * @param capabilities what it can do; empty when it is broken
 * @param availability whether it can work here; broken ones say why not
 */
public record ProviderInfo(
    String name, String implementation, Set<Capability> capabilities, Availability availability) {
  /** Copies the set. */
  public ProviderInfo {
    capabilities = Set.copyOf(capabilities);
  }
}
