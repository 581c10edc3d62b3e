package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.Secret;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Optional;
import java.util.function.UnaryOperator;

/**
 * What the environment says, by the names that clients of the bridge use.
 *
 * @param worker the bridge's address; empty when it is not set
 * @param key empty when it is not set
 */
record CloudflareSettings(Optional<URI> worker, Optional<Secret> key) {
  static final String WORKER = "CLOUDFLARE_SANDBOX_WORKER_URL";
  static final String KEY = "CLOUDFLARE_SANDBOX_API_KEY";

  private static final String FORM =
      "https://host, or http:// and an address of this machine, without a query";

  /**
   * Reads them.
   *
   * @param lookup answers the empty text for a variable that is not set
   */
  static CloudflareSettings read(UnaryOperator<String> lookup) {
    String worker = lookup.apply(WORKER);
    String key = lookup.apply(KEY);
    return new CloudflareSettings(
        worker.isEmpty() ? Optional.empty() : Optional.of(uri(worker)),
        key.isEmpty() ? Optional.empty() : Optional.of(Secret.of(KEY, key)));
  }

  private static URI uri(String text) {
    try {
      URI uri = new URI(text.replaceFirst("/+$", ""));
      if (uri.getHost() != null
          && uri.getUserInfo() == null
          && uri.getQuery() == null
          && uri.getFragment() == null
          && ("https".equals(uri.getScheme())
              || ("http".equals(uri.getScheme()) && local(uri.getHost())))) {
        return uri;
      }
    } catch (URISyntaxException e) {
      throw SandboxException.invalid(WORKER, "not an address", FORM);
    }
    // Not the value: it may hold a password.
    throw SandboxException.invalid(WORKER, "another address", FORM);
  }

  /** The key is sent in the clear to nobody else. */
  private static boolean local(String host) {
    return host.equals("localhost")
        || host.equals("[::1]")
        || host.matches("127(\\.[0-9]{1,3}){3}");
  }

  /** What is missing, and how to set it. */
  Optional<String> missing() {
    if (worker.isEmpty()) {
      return Optional.of(WORKER + " is not set: deploy the sandbox bridge and set its address");
    }
    return key.isEmpty()
        ? Optional.of(KEY + " is not set: set it to the worker's secret SANDBOX_API_KEY")
        : Optional.empty();
  }

  /** Fails when something is missing. */
  CloudflareSettings needed() {
    missing()
        .ifPresent(
            text -> {
              throw SandboxException.of(ErrorCode.PROVIDER_UNAVAILABLE, Operation.CREATE, text);
            });
    return this;
  }
}
