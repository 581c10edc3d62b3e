package io.sandboxspi.spi;

import java.util.Map;

/**
 * What a backend is made for.
 *
 * @param sessionId lower-case letters, digits and dashes; unique
 * @param options the spec's options; the provider checks names and values before it makes anything
 * @param durable whether only {@link SandboxProvider#delete} may end it: the provider does not
 *     remove it at the JVM's end
 */
public record BackendRequest(String sessionId, Map<String, String> options, boolean durable) {
  /** Copies the options. */
  public BackendRequest {
    options = Map.copyOf(options);
  }

  /** One that goes with its session. */
  public BackendRequest(String sessionId, Map<String, String> options) {
    this(sessionId, options, false);
  }

  /** Names of the options only. */
  @Override
  public String toString() {
    return "BackendRequest[sessionId=" + sessionId + ", options=" + options.keySet() + "]";
  }
}
