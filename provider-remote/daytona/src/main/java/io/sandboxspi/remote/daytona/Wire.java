package io.sandboxspi.remote.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.ClientOptions;
import io.sandboxspi.remote.transport.ErrorBody;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.RetryPolicy;
import io.sandboxspi.remote.transport.Secret;
import java.net.URI;
import java.time.Duration;
import java.util.Optional;

/** Calls with Daytona's headers, and the addresses that they go to. Thread-safe. */
final class Wire {
  static final String USER_AGENT = "sandboxspi-java/0.1";

  // It decides the shape of answers, also on the handshake of a WebSocket.
  private static final String SDK_VERSION = "0.190.0";

  private static final RetryPolicy RETRIES =
      new RetryPolicy(4, Duration.ofMillis(250), Duration.ofSeconds(5));

  private final HttpTransport transport;
  private final Optional<Secret> key;
  private final Optional<String> organization;
  private final URI api;

  Wire(ClientOptions client, Settings settings, URI api) {
    this.transport = HttpTransport.of(client, RETRIES, Wire::error);
    this.key = settings.key();
    this.organization = settings.organization();
    this.api = api;
  }

  HttpTransport transport() {
    return transport;
  }

  /** A call of the control plane. */
  HttpCall api(String what, String method, String path) {
    return call(what, method, URI.create(api + path));
  }

  /** A call with this client's headers. */
  HttpCall call(String what, String method, URI uri) {
    HttpCall call =
        HttpCall.of(what, method, uri)
            .header("Accept", "application/json")
            .header("X-Daytona-Source", "sandboxspi-java")
            .header("X-Daytona-SDK-Version", SDK_VERSION);
    if (key.isPresent()) {
      call = call.secret("Authorization", "Bearer ", key.get());
    }
    return organization.isPresent()
        ? call.header("X-Daytona-Organization-ID", organization.get())
        : call;
  }

  /** The shapes of refusals of all its services. */
  private static ErrorBody error(ObjectNode body) {
    ErrorBody common = ErrorBody.common(body);
    JsonNode errors = body.path("errors");
    boolean list = common.message().isEmpty() && errors.isArray() && !errors.isEmpty();
    return list ? new ErrorBody(common.code(), errors.get(0).asText("")) : common;
  }
}
