package io.sandboxspi.remote.modal;

import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.net.URI;
import java.net.URISyntaxException;
import java.util.Locale;
import java.util.Set;

/**
 * Where calls go.
 *
 * @param host a name or an address
 * @param port 1 to 65535
 * @param plaintext without encryption: this machine only
 */
record Server(String host, int port, boolean plaintext) {
  private static final int HTTPS = 443;
  private static final int HTTP = 80;
  private static final Set<String> LOOPBACK = Set.of("localhost", "127.0.0.1", "::1", "[::1]");
  private static final String ALLOWED =
      "https:// and a host; http:// for this machine's own addresses only";

  /** A server that a setting names. */
  static Server configured(String name, String text) {
    try {
      URI uri = new URI(text.strip());
      boolean plaintext = "http".equals(uri.getScheme());
      if (bare(uri) && (plaintext ? loopback(uri) : "https".equals(uri.getScheme()))) {
        return of(uri, plaintext);
      }
    } catch (URISyntaxException e) {
      throw SandboxException.invalid(name, "not an address", ALLOWED);
    }
    // Not the value: it may hold a password.
    throw SandboxException.invalid(name, "another address", ALLOWED);
  }

  /**
   * A router as the control plane names it. A control plane on this machine without encryption has
   * such routers, too, whatever scheme it gives.
   */
  Server router(String url) {
    try {
      URI uri = new URI(url);
      boolean here = plaintext && bare(uri) && loopback(uri);
      if (here || (bare(uri) && "https".equals(uri.getScheme()))) {
        return of(uri, here);
      }
    } catch (URISyntaxException e) {
      throw new RemoteException(Kind.MALFORMED, "the router's address cannot be read", e);
    }
    throw new RemoteException(Kind.MALFORMED, "the router's address is not one of https");
  }

  private static boolean bare(URI uri) {
    return uri.getHost() != null && uri.getUserInfo() == null && uri.getQuery() == null;
  }

  private static boolean loopback(URI uri) {
    return LOOPBACK.contains(uri.getHost().toLowerCase(Locale.ROOT));
  }

  private static Server of(URI uri, boolean plaintext) {
    int port = uri.getPort() > 0 ? uri.getPort() : plaintext ? HTTP : HTTPS;
    return new Server(uri.getHost(), port, plaintext);
  }
}
