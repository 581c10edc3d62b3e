package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.net.ConnectException;
import java.net.HttpURLConnection;
import java.net.URI;
import java.time.Duration;
import java.time.Instant;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The proxy to ports of sandboxes, by the name of the host that is asked for. Thread-safe. */
final class PreviewProxy {
  private static final String DOMAIN = ".preview.localhost";
  private static final String KEY = "DAYTONA_SANDBOX_AUTH_KEY";
  private static final Pattern HOST =
      Pattern.compile("([0-9]+)-([A-Za-z0-9-]+)\\.preview\\.localhost(?::[0-9]+)?");
  private static final Pattern ACTION =
      Pattern.compile("/ports/([0-9]+)/(signed-)?preview-url(?:/([^/]+)/expire)?");
  private static final int LONGEST = 86_400;

  private final Sandboxes sandboxes;
  private final Map<String, Signed> signed = new ConcurrentHashMap<>();

  private record Signed(String sandbox, String port, Instant end) {}

  PreviewProxy(Sandboxes sandboxes) {
    this.sandboxes = sandboxes;
  }

  static boolean asks(String action) {
    return ACTION.matcher(action).matches();
  }

  /** An address of a port; its sandbox need not run. */
  void answer(Exchange exchange, FakeSandbox sandbox, String action) {
    Matcher asked = ACTION.matcher(action);
    if (!asked.matches()) {
      throw new IllegalStateException(action);
    }
    String port = asked.group(1);
    if (asked.group(3) != null) {
      Object unused = signed.remove(asked.group(3));
      exchange.answer(200);
      return;
    }
    int number = port.length() > 5 ? 0 : Integer.parseInt(port);
    int seconds = Integer.parseInt(exchange.query("expiresInSeconds").orElse("60"));
    if (number < 1 || number > 65_535) {
      DaytonaFake.error(exchange, 400, "Bad Request", "Invalid port");
    } else if (seconds < 1 || seconds > LONGEST) {
      DaytonaFake.error(exchange, 400, "Bad Request", "expiresInSeconds must be 1 to 86400");
    } else {
      boolean own = asked.group(2) != null;
      String token = own ? UUID.randomUUID().toString().replace("-", "") : sandbox.token();
      if (own) {
        signed.put(token, new Signed(sandbox.id(), port, Instant.now().plusSeconds(seconds)));
      }
      String host = port + "-" + (own ? token : sandbox.id()) + DOMAIN;
      ObjectNode answer =
          FakeSandbox.object()
              .put("sandboxId", sandbox.id())
              .put("token", token)
              .put("url", "http://" + host + ":" + sandboxes.port());
      exchange.answer(200, own ? answer.put("port", number) : answer);
    }
  }

  /** Whether this request is one for a port. */
  static boolean isFor(Exchange exchange) {
    return HOST.matcher(exchange.header("Host").orElse("")).matches();
  }

  void forward(Exchange exchange) throws IOException {
    Matcher host = HOST.matcher(exchange.header("Host").orElse(""));
    if (!host.matches()) {
      throw new IllegalStateException("not for a port");
    }
    String port = host.group(1);
    Optional<Signed> own =
        Optional.ofNullable(signed.get(host.group(2)))
            .filter(each -> each.port().equals(port) && Instant.now().isBefore(each.end()));
    Optional<FakeSandbox> sandbox = sandboxes.find(own.map(Signed::sandbox).orElse(host.group(2)));
    boolean known = own.isPresent() || sandbox.filter(each -> admitted(exchange, each)).isPresent();
    if (!known || sandbox.isEmpty()) {
      exchange.set("Location", "https://sign-in.example/authorize").answer(307);
    } else if (!sandbox.get().state().equals("started")) {
      DaytonaFake.error(
          exchange, 400, "Bad Request", "no IP address found. Is the Sandbox started?");
    } else {
      get(exchange, URI.create("http://127.0.0.1:" + port + exchange.rawPath()));
    }
  }

  private static boolean admitted(Exchange exchange, FakeSandbox sandbox) {
    String token =
        exchange.header("X-Daytona-Preview-Token").or(() -> exchange.query(KEY)).orElse("");
    return sandbox.config().path("public").asBoolean(false) || token.equals(sandbox.token());
  }

  private static void get(Exchange exchange, URI target) throws IOException {
    HttpURLConnection connection = (HttpURLConnection) target.toURL().openConnection();
    connection.setReadTimeout((int) Duration.ofSeconds(5).toMillis());
    try {
      byte[] body = connection.getInputStream().readAllBytes();
      exchange.answer(connection.getResponseCode(), "text/plain", body);
    } catch (ConnectException nobodyListens) {
      exchange.answer(502);
    } finally {
      connection.disconnect();
    }
  }
}
