package io.sandboxspi;

import java.net.URI;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/**
 * Where a port of a sandbox is reached from here. {@code toString} shows neither the query, nor
 * values of headers, nor the first label of a host's name: each may hold a token (spec S-ERR-03).
 *
 * @param host a name or an address; an IPv6 address without brackets
 * @param port 1 to 65535
 * @param tls whether a connection is encrypted
 * @param query what every URL needs after its question mark; empty for nothing
 * @param headers what every request needs, by names; empty for nothing
 */
public record Endpoint(
    String host, int port, boolean tls, Optional<String> query, Map<String, String> headers) {
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  /** Checks the port, takes a leading question mark off the query, and copies the headers. */
  public Endpoint {
    Checks.range("port", port, 1, 65_535);
    query =
        query
            .map(text -> text.startsWith("?") ? text.substring(1) : text)
            .filter(t -> !t.isEmpty());
    headers = Map.copyOf(headers);
  }

  /** Without headers. */
  public Endpoint(String host, int port, boolean tls, Optional<String> query) {
    this(host, port, tls, query, Map.of());
  }

  /** Without encryption and query. */
  public static Endpoint plain(String host, int port) {
    return new Endpoint(host, port, false, Optional.empty());
  }

  /**
   * The URL of a path: {@code https} and {@code wss} where the endpoint is encrypted, without a
   * port that is the scheme's own.
   *
   * @param scheme {@code http} or {@code ws}
   * @param path begins with a slash; may have a query of its own
   * @throws SandboxException {@link ErrorCode#INVALID_ARGUMENT}
   */
  public URI uri(String scheme, String path) {
    String plain = scheme.toLowerCase(Locale.ROOT);
    if (!plain.equals("http") && !plain.equals("ws")) {
      throw SandboxException.invalid("scheme", '"' + scheme + '"', "http, ws");
    }
    if (!path.startsWith("/")) {
      throw SandboxException.invalid("path", '"' + path + '"', "a path that begins with a slash");
    }
    StringBuilder url = new StringBuilder(plain).append(tls ? "s://" : "://");
    url.append(host.indexOf(':') >= 0 ? '[' + host + ']' : host);
    if (port != (tls ? HTTPS : HTTP)) {
      url.append(':').append(port);
    }
    url.append(path);
    query.ifPresent(text -> url.append(path.indexOf('?') >= 0 ? '&' : '?').append(text));
    return URI.create(url.toString());
  }

  @Override
  public String toString() {
    String shown = host.replaceFirst("^[^.:]*[^.:0-9][^.:]*\\.", "*.");
    return "Endpoint[" + shown + ", " + port + (tls ? ", tls" : "") + "]";
  }
}
