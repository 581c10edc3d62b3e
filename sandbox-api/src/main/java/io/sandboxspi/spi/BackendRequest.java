package io.sandboxspi.spi;

import java.util.Map;
import java.util.function.Consumer;

/**
 * What a backend is made for.
 *
 * @param sessionId lower-case letters, digits and dashes; unique
 * @param options the spec's options; the provider checks names and values before it makes anything
 * @param durable whether only {@link SandboxProvider#delete} may end it: the provider does not
 *     remove it at the JVM's end
 * @param progress told in one sentence how a making that takes long goes on, such as the pull of an
 *     image; never secrets. It may be called on any thread, also after the making has ended; does
 *     not block
 */
public record BackendRequest(
    String sessionId, Map<String, String> options, boolean durable, Consumer<String> progress) {
  /** Copies the options. */
  public BackendRequest {
    options = Map.copyOf(options);
  }

  /** One of which nobody is told how it goes on. */
  public BackendRequest(String sessionId, Map<String, String> options, boolean durable) {
    this(sessionId, options, durable, sentence -> {});
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
