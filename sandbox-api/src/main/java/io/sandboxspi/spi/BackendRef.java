package io.sandboxspi.spi;

import java.util.Map;

/**
 * Names a backend so that it can be attached to or deleted later. Serialisable, never a secret.
 *
 * @param provider the provider's name
 * @param data facts that only the provider reads
 */
public record BackendRef(String provider, Map<String, String> data) {
  /** Copies the data. */
  public BackendRef {
    data = Map.copyOf(data);
  }
}
