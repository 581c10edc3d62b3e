package io.sandboxspi.remote.daytona;

import io.sandboxspi.Endpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.shell.SandboxFailures;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where ports are reached: asked for each time, because a start makes other tokens. */
final class Previews {
  /** Its proxy takes the token there, too, and takes it off before the program sees it. */
  private static final String TOKEN = "DAYTONA_SANDBOX_AUTH_KEY=";

  private static final Pattern ADDRESS =
      Pattern.compile("(https?)://([A-Za-z0-9._-]+)(?::([0-9]{1,5}))?/?");
  private static final int HTTP = 80;
  private static final int HTTPS = 443;

  private final ControlPlane plane;
  private final String sandbox;
  private final Ports ports;

  Previews(ControlPlane plane, String sandbox, Ports ports) {
    this.plane = plane;
    this.sandbox = sandbox;
    this.ports = ports;
  }

  Endpoint endpoint(int port, Deadline deadline) throws InterruptedException {
    try {
      Description found = plane.describe(sandbox, deadline);
      if (found.gone()) {
        throw SandboxFailures.gone(Operation.ENDPOINT, sandbox);
      }
      if (!found.started()) {
        throw SandboxException.builder(
                ErrorCode.BACKEND_NOT_RUNNING,
                Operation.ENDPOINT,
                "the sandbox is " + found.state() + ": its ports have no address until it runs")
            .context("state", found.state())
            .context("sandbox", sandbox)
            .build();
      }
      if (ports.life().isPresent()) {
        long seconds = ports.life().get().toSeconds();
        return endpoint(plane.signedLink(sandbox, port, seconds, deadline), Optional.empty());
      }
      ControlPlane.Link link = plane.link(sandbox, port, deadline);
      return endpoint(
          link,
          found.open()
              ? Optional.empty()
              : link.token().map(token -> TOKEN + HttpCall.encode(token.reveal())));
    } catch (RemoteException e) {
      if (e.said(404)) {
        throw SandboxFailures.gone(Operation.ENDPOINT, sandbox);
      }
      throw e.as(ErrorCode.PORT_UNAVAILABLE, Operation.ENDPOINT).context("port", port).build();
    }
  }

  private static Endpoint endpoint(ControlPlane.Link link, Optional<String> query) {
    Matcher address = ADDRESS.matcher(link.url().reveal());
    if (!address.matches()) {
      // Not shown: a token may be a part of it.
      throw new RemoteException(
          Kind.MALFORMED, "asking for a port: the answer's url is no address of a host");
    }
    boolean tls = address.group(1).equals("https");
    int outside =
        address.group(3) == null ? (tls ? HTTPS : HTTP) : Integer.parseInt(address.group(3));
    return new Endpoint(address.group(2), outside, tls, query, Map.of());
  }
}
