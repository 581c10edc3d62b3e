package io.sandboxspi.remote.transport;

import io.sandboxspi.SandboxException;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;

/**
 * How connections are made. Transports with equal options share connections.
 *
 * @param userAgent sent with each request
 * @param connectTimeout for one connection, TLS included
 * @param proxy {@code http://host:port}; empty for what the JVM's properties say ({@code
 *     https.proxyHost} and others)
 * @param caFile certificates in PEM form that are trusted beside the JVM's
 */
public record ClientOptions(
    String userAgent, Duration connectTimeout, Optional<URI> proxy, Optional<Path> caFile) {

  /** Checks the proxy's form. */
  public ClientOptions {
    proxy.ifPresent(ClientOptions::check);
  }

  /** No proxy of its own, the JVM's certificates, 10 s to connect. */
  public static ClientOptions defaults(String userAgent) {
    return new ClientOptions(userAgent, Duration.ofSeconds(10), Optional.empty(), Optional.empty());
  }

  /** With a proxy. */
  public ClientOptions proxy(URI value) {
    return new ClientOptions(userAgent, connectTimeout, Optional.of(value), caFile);
  }

  /** With more certificates. */
  public ClientOptions caFile(Path value) {
    return new ClientOptions(userAgent, connectTimeout, proxy, Optional.of(value));
  }

  private static void check(URI proxy) {
    boolean plain =
        "http".equals(proxy.getScheme())
            && proxy.getHost() != null
            && proxy.getPort() > 0
            && proxy.getUserInfo() == null;
    if (!plain) {
      // Not the value: it may hold a password.
      throw SandboxException.invalid("proxy", "another address", "http://host:port");
    }
  }
}
