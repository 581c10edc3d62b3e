package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.FakeServer;
import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.fake.Faults;
import java.io.IOException;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.IntStream;

/**
 * One fake of Blaxel: the control plane at {@code /v0}, and the gateway to its sandboxes at {@code
 * /sbx/name}.
 */
public final class BlaxelFake implements FakeVendor.Service {
  /** The one key that it knows. */
  public static final String KEY = "bl_00112233445566778899aabbccddeeff";

  /** The one workspace. */
  public static final String WORKSPACE = "team";

  /** Credentials of a client, for tokens. */
  public static final String CLIENT =
      Base64.getEncoder().encodeToString("id:secret-of-a-client".getBytes(StandardCharsets.UTF_8));

  private static final String TOKEN = "token-of-a-client-";
  private static final Pattern SANDBOX = Pattern.compile("/sbx/([^/]+)(/.*)?");

  private final FakeServer server;
  private final Sandboxes sandboxes;
  private final ControlPlane controlPlane;
  private final AtomicInteger tokens = new AtomicInteger();
  private volatile int expired;
  private volatile boolean headersOnSockets = true;

  /** Starts it. */
  public BlaxelFake() {
    // Requests come only once the address is known.
    server = new FakeServer("blaxel", this::answer);
    sandboxes = new Sandboxes(server.timer(), () -> server.uri() + "/sbx/");
    controlPlane = new ControlPlane(sandboxes);
  }

  private void answer(Exchange exchange) throws IOException {
    String path = exchange.rawPath();
    Matcher sandbox = SANDBOX.matcher(path);
    if (path.equals("/v0/oauth/token")) {
      token(exchange);
    } else if (sandbox.matches()) {
      gateway(exchange, sandbox.group(1), sandbox.group(2) == null ? "/" : sandbox.group(2));
    } else if (!path.startsWith("/v0/")) {
      refuse(exchange, 404, "ROUTE_NOT_FOUND", "no such route", false);
    } else if (!known(exchange)) {
      exchange.answer(
          401, object().put("error", "unauthorized").put("code", 401).put("message", "bad key"));
    } else {
      controlPlane.answer(exchange, path.substring("/v0".length()));
    }
  }

  private void token(Exchange exchange) {
    if (exchange.header("Authorization").orElse("").equals("Basic " + CLIENT)) {
      exchange.answer(
          200,
          object()
              .put("access_token", TOKEN + tokens.incrementAndGet())
              .put("refresh_token", "again")
              .put("token_type", "Bearer")
              .put("expires_in", 7200));
    } else {
      exchange.answer(401, object().put("error", "invalid_client"));
    }
  }

  private boolean known(Exchange exchange) {
    boolean socket = exchange.wantsSocket();
    String bearer =
        exchange
            .header("X-Blaxel-Authorization")
            .or(() -> exchange.header("Authorization"))
            .filter(value -> headersOnSockets || !socket)
            .or(() -> exchange.query("token").filter(t -> socket).map(t -> "Bearer " + t))
            .orElse("");
    boolean right =
        bearer.equals("Bearer " + KEY)
            || IntStream.rangeClosed(expired + 1, tokens.get())
                .anyMatch(number -> bearer.equals("Bearer " + TOKEN + number));
    String workspace = exchange.header("X-Blaxel-Workspace").orElse(WORKSPACE);
    return right && workspace.equals(WORKSPACE);
  }

  private void gateway(Exchange exchange, String name, String path) throws IOException {
    Optional<FakeSandbox> sandbox = sandboxes.find(name);
    if (!known(exchange)) {
      refuse(exchange, 401, "AUTHENTICATION_FAILED", "the credentials are not valid", false);
    } else if (sandbox.isEmpty() || sandbox.get().status().equals("TERMINATED")) {
      refuse(exchange, 404, "WORKLOAD_NOT_FOUND", "there is no workload " + name, false);
    } else if (!sandbox.get().status().equals("DEPLOYED") || sandbox.get().wakes()) {
      refuse(exchange, 404, "WORKLOAD_UNAVAILABLE", "no healthy instance yet", true);
    } else {
      sandbox.get().agent().answer(exchange, path);
    }
  }

  /** A refusal of the gateway. */
  static void refuse(
      Exchange exchange, int status, String code, String message, boolean retryable) {
    ObjectNode body = object();
    body.putObject("error")
        .put("code", code)
        .put("message", message)
        .put("status", status)
        .put("retryable", retryable)
        .put("origin", "platform")
        .put("timestamp", java.time.Instant.now().toString());
    exchange.answer(status, body);
  }

  static ObjectNode object() {
    return Exchange.JSON.createObjectNode();
  }

  /** What goes wrong. */
  public Faults faults() {
    return server.faults();
  }

  /** Sockets must say their token in the query, as the vendor's web terminal does. */
  public void tokensInQueries() {
    headersOnSockets = false;
  }

  /** The tokens of clients that were given out are not good any more. */
  public void expireTokens() {
    expired = tokens.get();
  }

  /** How many tokens of clients were given out. */
  public int tokens() {
    return tokens.get();
  }

  /** Its address. */
  public URI uri() {
    return server.uri();
  }

  /** Ends all connections, also those on which nothing is said, without a word. */
  public void cutConnections() {
    server.cutConnections();
  }

  @Override
  public int connections() {
    return server.connections();
  }

  /** A sandbox by name, also one that does not run. */
  public Optional<FakeSandbox> sandbox(String name) {
    return sandboxes.find(name);
  }

  /** How many there are, but for records of those that have ended. */
  @Override
  public int sandboxes() {
    return (int)
        sandboxes.all().stream().filter(each -> !each.status().equals("TERMINATED")).count();
  }

  @Override
  public Map<String, String> settings() {
    return Map.of("BL_API_KEY", KEY, "BL_WORKSPACE", WORKSPACE, "BL_API_URL", uri() + "/v0");
  }

  @Override
  public void close() {
    sandboxes.close();
    server.close();
  }
}
