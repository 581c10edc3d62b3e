package io.sandboxspi.spi;

import java.util.Map;

/**
 * What a backend is made for.
 *
 * @param sessionId lower-case letters, digits and dashes; unique
 * @param options the spec's options; the provider checks names and values before it makes anything
 */
public record BackendRequest(String sessionId, Map<String, String> options) {
  /** Copies the options. */
  public BackendRequest {
    options = Map.copyOf(options);
  }

  /** Names of the options only. */
  @Override
  public String toString() {
    return "BackendRequest[sessionId=" + sessionId + ", options=" + options.keySet() + "]";
  }
}
