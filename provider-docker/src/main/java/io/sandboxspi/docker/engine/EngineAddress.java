package io.sandboxspi.docker.engine;

import java.net.URI;
import java.nio.file.Path;
import java.util.Optional;
import javax.net.ssl.SSLContext;

/** Where an engine listens. */
public sealed interface EngineAddress {
  /** The port of an address that names none, without and with TLS. */
  int PLAIN_PORT = 2375;

  /** The port with TLS. */
  int TLS_PORT = 2376;

  /**
   * A unix socket.
   *
   * @param path the socket's file
   */
  record Unix(Path path) implements EngineAddress {
    @Override
    public String toString() {
      return "unix://" + path;
    }
  }

  /**
   * A TCP port.
   *
   * @param host name or address
   * @param port 1 to 65535
   * @param tls how to encrypt; empty for plain text
   */
  record Tcp(String host, int port, Optional<SSLContext> tls) implements EngineAddress {
    @Override
    public String toString() {
      return (tls.isPresent() ? "tls://" : "tcp://") + host + ":" + port;
    }
  }

  /**
   * Reads an address.
   *
   * @throws IllegalArgumentException for another scheme or a missing part, in words for a user
   */
  static EngineAddress of(URI uri, Optional<SSLContext> tls) {
    String scheme = uri.getScheme() == null ? "" : uri.getScheme();
    switch (scheme) {
      case "unix" -> {
        if (uri.getPath() == null || !uri.getPath().startsWith("/")) {
          throw new IllegalArgumentException(uri + " has no absolute path of a socket");
        }
        return new Unix(Path.of(uri.getPath()));
      }
      case "tcp", "http", "https" -> {
        if (uri.getHost() == null) {
          throw new IllegalArgumentException(uri + " has no host");
        }
        boolean encrypted = tls.isPresent() || scheme.equals("https");
        if (encrypted && tls.isEmpty()) {
          throw new IllegalArgumentException(
              uri + " needs DOCKER_TLS_VERIFY=1 and DOCKER_CERT_PATH");
        }
        int port = uri.getPort() > 0 ? uri.getPort() : encrypted ? TLS_PORT : PLAIN_PORT;
        return new Tcp(uri.getHost(), port, tls);
      }
      default ->
          throw new IllegalArgumentException(uri + " is no address of the kind unix:// or tcp://");
    }
  }
}
