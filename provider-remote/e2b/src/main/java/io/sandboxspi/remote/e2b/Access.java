package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.Endpoint;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.Secret;
import java.net.URI;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;

/**
 * How one sandbox is reached; made anew from each answer of the control plane.
 *
 * @param sandbox its id
 * @param daemon address of the daemon
 * @param domain of addresses of its ports; empty when the daemon's address was given
 * @param token for the daemon; empty for a sandbox that is not secured
 * @param traffic token for ports; empty when they need none
 * @param daemonVersion as the vendor says
 */
record Access(
    String sandbox,
    URI daemon,
    Optional<String> domain,
    Optional<Secret> token,
    Optional<Secret> traffic,
    String daemonVersion) {
  private static final int HTTPS = 443;
  private static final String TRAFFIC = "e2b-traffic-access-token";

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
    return new Access(
        sandbox,
        daemon,
        settings.sandboxUrl().isPresent() ? Optional.empty() : Optional.of(base),
        secret("access token", answer.path("envdAccessToken")),
        secret("traffic access token", answer.path("trafficAccessToken")),
        answer.path("envdVersion").asText("unknown"));
  }

  private static Optional<Secret> secret(String name, JsonNode node) {
    return node.isTextual() && !node.asText().isEmpty()
        ? Optional.of(Secret.of(name, node.asText()))
        : Optional.empty();
  }

  /**
   * Where a port is reached: by a name of the domain, or beside a daemon whose address was given.
   */
  Endpoint endpoint(int port) {
    Map<String, String> headers = new HashMap<>();
    traffic.ifPresent(secret -> headers.put(TRAFFIC, secret.reveal()));
    String host =
        domain
            .map(name -> port + "-" + sandbox + "." + name)
            .orElseGet(() -> daemon.getHost().replaceAll("[\\[\\]]", ""));
    boolean named = domain.isPresent();
    return new Endpoint(host, named ? HTTPS : port, named, Optional.empty(), headers);
  }
}
