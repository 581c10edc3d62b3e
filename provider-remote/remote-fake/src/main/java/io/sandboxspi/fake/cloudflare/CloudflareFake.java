package io.sandboxspi.fake.cloudflare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.FakeServer;
import io.sandboxspi.fake.FakeVendor;
import io.sandboxspi.fake.Faults;
import java.io.IOException;
import java.net.URI;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** One fake of a bridge: a worker in the user's account, and its pool of containers. */
public final class CloudflareFake implements FakeVendor.Service {
  /** The one key that it knows. */
  public static final String KEY = "bridge-key-00112233445566778899";

  private static final Pattern SANDBOX = Pattern.compile("/v1/sandbox/([^/]*)(/.*)?");
  private static final String LETTERS = "abcdefghijklmnopqrstuvwxyz234567";
  private static final int ID_LENGTH = 26;
  private static final SecureRandom RANDOM = new SecureRandom();

  private final FakeServer server;
  private final Pool pool;

  /** Starts it. */
  public CloudflareFake() {
    server = new FakeServer("cloudflare", this::answer);
    pool = new Pool(server.timer());
  }

  private void answer(Exchange exchange) throws IOException {
    String path = exchange.rawPath();
    if (path.equals("/health")) {
      exchange.answer(200, object().put("ok", true));
    } else if (!path.startsWith("/v1/")) {
      exchange.answer(
          404, "text/plain", "Not Found".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    } else if (!authorized(exchange, path)) {
      error(exchange, 401, "unauthorized", "Unauthorized");
    } else {
      route(exchange, path);
    }
  }

  private static boolean authorized(Exchange exchange, String path) {
    String given = exchange.header("Authorization").orElse("");
    if (path.startsWith("/v1/sandbox")) {
      return given.regionMatches(true, 0, "Bearer ", 0, 7) && given.substring(7).equals(KEY);
    }
    boolean token =
        path.startsWith("/v1/openapi") && exchange.query("token").orElse("").equals(KEY);
    return token || given.equals("Bearer " + KEY);
  }

  private void route(Exchange exchange, String path) throws IOException {
    Matcher sandbox = SANDBOX.matcher(path);
    String request = exchange.method() + " " + path;
    if (request.equals("POST /v1/sandbox")) {
      exchange.answer(200, object().put("id", freshId()));
    } else if (sandbox.matches()) {
      String id = sandbox.group(1);
      String rest = Optional.ofNullable(sandbox.group(2)).orElse("");
      if (!id.matches("[a-z2-7]{1,128}")) {
        error(exchange, 400, "invalid_request", "Invalid sandbox ID format");
      } else if (exchange.method().equals("DELETE") && rest.isEmpty()) {
        pool.destroy(id);
        exchange.answer(204);
      } else {
        inContainer(exchange, id, rest);
      }
    } else {
      other(exchange, request);
    }
  }

  private void inContainer(Exchange exchange, String id, String path) throws IOException {
    Container container;
    try {
      container = pool.container(id);
    } catch (Pool.Full full) {
      error(exchange, 503, "capacity_exceeded", String.valueOf(full.getMessage()));
      return;
    }
    container.touch();
    container.routes().answer(exchange, path);
  }

  private void other(Exchange exchange, String request) {
    switch (request) {
      case "GET /v1/pool/stats" -> exchange.answer(200, pool.stats());
      case "POST /v1/pool/prime", "POST /v1/pool/shutdown-prewarmed" ->
          exchange.answer(200, object().put("ok", true));
      case "GET /v1/openapi.json" -> {
        ObjectNode api = object();
        api.put("openapi", "3.1.0").putObject("info").put("version", "1.0.0");
        ObjectNode paths = api.putObject("paths");
        for (String route : Routes.PATHS) {
          paths.putObject("/v1/sandbox/{id}" + route);
        }
        exchange.answer(200, api);
      }
      default ->
          exchange.answer(
              404, "text/plain", "Not Found".getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }
  }

  private static String freshId() {
    StringBuilder id = new StringBuilder();
    for (int i = 0; i < ID_LENGTH; i++) {
      id.append(LETTERS.charAt(RANDOM.nextInt(LETTERS.length())));
    }
    return id.toString();
  }

  static ObjectNode object() {
    return Exchange.JSON.createObjectNode();
  }

  static void error(Exchange exchange, int status, String code, String message) {
    exchange.answer(status, object().put("error", message).put("code", code));
  }

  /** What goes wrong. */
  public Faults faults() {
    return server.faults();
  }

  /** Its address. */
  public URI uri() {
    return server.uri();
  }

  @Override
  public int connections() {
    return server.connections();
  }

  /** The container of a sandbox, if one runs. */
  public Optional<Container> running(String id) {
    return pool.running(id);
  }

  /** How many containers run. */
  public int containers() {
    return pool.count();
  }

  @Override
  public int sandboxes() {
    return containers();
  }

  /** How many containers may run; 0 for any number. */
  public void limit(int most) {
    pool.limit(most);
  }

  /** Stops a sandbox's container as when nobody used it. */
  public void sleep(String id) {
    pool.destroy(id);
  }

  /** How long a container lives without use; zero for any time. */
  public void sleepAfter(Duration time) {
    pool.sleepAfter(time);
  }

  @Override
  public Map<String, String> settings() {
    return Map.of(
        "CLOUDFLARE_SANDBOX_API_KEY", KEY, "CLOUDFLARE_SANDBOX_WORKER_URL", uri().toString());
  }

  @Override
  public void close() {
    pool.close();
    server.close();
  }
}
