package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.Endpoint;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.Secret;
import java.net.URI;
import java.util.Optional;

/**
 * How one sandbox is reached; made anew from each answer of the control plane.
 *
 * @param sandbox its id
 * @param daemon address of the daemon
 * @param domain of addresses of its ports; empty when the daemon's address was given
 * @param token for the daemon; empty for a sandbox that is not secured
 * @param daemonVersion as the vendor says
 */
record Access(
    String sandbox,
    URI daemon,
    Optional<String> domain,
    Optional<Secret> token,
    String daemonVersion) {
  private static final int HTTPS = 443;

  static Access of(ObjectNode answer, E2bSettings settings) {
    String what = "the vendor's answer";
    // Old ids have a part behind a dash.
    String sandbox = Json.text(what, answer, "sandboxID").split("-", 2)[0];
    String domain = answer.path("domain").asText("");
    String base = domain.isEmpty() ? settings.domain() : domain;
    URI daemon =
        settings
            .sandboxUrl()
            .orElseGet(() -> URI.create("https://" + Envd.PORT + "-" + sandbox + "." + base));
    String token = answer.path("envdAccessToken").asText("");
    return new Access(
        sandbox,
        daemon,
        settings.sandboxUrl().isPresent() ? Optional.empty() : Optional.of(base),
        token.isEmpty() ? Optional.empty() : Optional.of(Secret.of("access token", token)),
        answer.path("envdVersion").asText("unknown"));
  }

  /**
   * Where a port is reached: by a name of the domain, or beside a daemon whose address was given.
   */
  Endpoint endpoint(int port) {
    return domain
        .map(name -> new Endpoint(port + "-" + sandbox + "." + name, HTTPS, true, Optional.empty()))
        .orElseGet(() -> Endpoint.plain(daemon.getHost(), port));
  }
}
