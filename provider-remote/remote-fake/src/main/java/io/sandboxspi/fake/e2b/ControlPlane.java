package io.sandboxspi.fake.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.net.URLDecoder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Creates, lists, pauses, resumes and ends. */
final class ControlPlane {
  private static final Pattern ONE =
      Pattern.compile(
          "(?:/v2)?/sandboxes/([^/]+)(?:/(pause|connect|resume|timeout|refreshes|snapshots))?");
  private static final Set<String> TEMPLATES = Set.of("base", "code-interpreter-v1");
  private static final int LONGEST = 24 * 3600;

  private final Sandboxes sandboxes;
  private final Snapshots snapshots;
  private volatile int page = 100;

  ControlPlane(Sandboxes sandboxes, Snapshots snapshots) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
  }

  /** The list comes in pieces of so many at most. */
  void page(int most) {
    page = most;
  }

  void answer(Exchange exchange) throws IOException {
    if (!exchange.header("X-API-Key").orElse("").equals(E2bFake.KEY)) {
      error(exchange, 401, "Invalid API key");
      return;
    }
    String path = exchange.path();
    Matcher one = ONE.matcher(path);
    if (exchange.method().equals("POST") && path.matches("(/v2)?/sandboxes")) {
      create(exchange, path.startsWith("/v2"));
    } else if (exchange.method().equals("GET") && path.matches("(/v2)?/sandboxes")) {
      list(exchange);
    } else if (exchange.method().equals("DELETE") && path.startsWith("/templates/")) {
      snapshots.delete(exchange, path.substring("/templates/".length()));
    } else if (exchange.method().equals("GET") && path.equals("/snapshots")) {
      snapshots.list(exchange);
    } else if (one.matches()) {
      // Old ids have a part behind a dash.
      Optional<FakeSandbox> sandbox = sandboxes.find(one.group(1).split("-", 2)[0]);
      if (sandbox.isEmpty()) {
        error(exchange, 404, "sandbox \"" + one.group(1) + "\" not found");
      } else {
        one(exchange, sandbox.get(), one.group(2) == null ? "" : one.group(2), path);
      }
    } else {
      error(exchange, 404, "no such path");
    }
  }

  static void error(Exchange exchange, int status, String message) {
    exchange.answer(
        status, Exchange.JSON.createObjectNode().put("code", status).put("message", message));
  }

  private void create(Exchange exchange, boolean v2) throws IOException {
    ObjectNode body = exchange.json();
    String template = body.path("templateID").asText("");
    int seconds = body.path("timeout").asInt(v2 ? 300 : 15);
    if (!TEMPLATES.contains(template) && snapshots.content(template).isEmpty()) {
      error(exchange, 404, "template '" + template + "' not found");
    } else if (seconds <= 0) {
      error(exchange, 400, "Timeout must be greater than 0");
    } else if (seconds > LONGEST) {
      error(exchange, 400, "Timeout cannot be greater than 24 hours");
    } else {
      FakeSandbox sandbox =
          new FakeSandbox(
              sandboxes,
              new FakeSandbox.Config(
                  template,
                  v2 || body.path("secure").asBoolean(false),
                  body.path("autoPause").asBoolean(false),
                  body.path("autoResume").path("enabled").asBoolean(false),
                  body.path("network").path("allowPublicTraffic").asBoolean(true),
                  map(body.path("metadata")),
                  map(body.path("envVars"))),
              Duration.ofSeconds(seconds),
              snapshots.content(template));
      sandboxes.add(sandbox);
      exchange.answer(201, describe(sandbox));
    }
  }

  private static Map<String, String> map(JsonNode node) {
    Map<String, String> map = new ConcurrentHashMap<>();
    node.properties().forEach(field -> map.put(field.getKey(), field.getValue().asText()));
    return map;
  }

  private static ObjectNode describe(FakeSandbox sandbox) {
    ObjectNode node =
        Exchange.JSON
            .createObjectNode()
            .put("templateID", sandbox.config().template())
            .put("sandboxID", sandbox.id())
            .put("clientID", "fake")
            .put("envdVersion", "0.6.13")
            .putNull("domain");
    if (sandbox.config().secure()) {
      node.put("envdAccessToken", sandbox.token());
    }
    if (sandbox.config().open()) {
      node.putNull("trafficAccessToken");
    } else {
      node.put("trafficAccessToken", sandbox.trafficToken());
    }
    return node;
  }

  private static ObjectNode detail(FakeSandbox sandbox) {
    ObjectNode node =
        describe(sandbox)
            .put("startedAt", sandbox.startedAt().toString())
            .put("endAt", sandbox.endAt().toString())
            .put("cpuCount", 2)
            .put("memoryMB", 512)
            .put("diskSizeMB", 1024)
            .put("state", sandbox.paused() ? "paused" : "running");
    ObjectNode metadata = node.putObject("metadata");
    sandbox.config().metadata().forEach(metadata::put);
    node.putObject("lifecycle")
        .put("autoResume", sandbox.config().autoResume())
        .put("onTimeout", sandbox.config().autoPause() ? "pause" : "kill");
    return node;
  }

  private void list(Exchange exchange) {
    Map<String, String> wanted = new HashMap<>();
    for (String pair : decode(exchange.query("metadata").orElse("")).split("&")) {
      int equals = pair.indexOf('=');
      if (equals > 0) {
        wanted.put(decode(pair.substring(0, equals)), decode(pair.substring(equals + 1)));
      }
    }
    List<String> states = List.of(exchange.query("state").orElse("running,paused").split(","));
    int from = Integer.parseInt(exchange.query("nextToken").orElse("0"));
    int limit = Math.min(page, Integer.parseInt(exchange.query("limit").orElse("100")));
    List<FakeSandbox> found =
        sandboxes.all().stream()
            .filter(s -> s.config().metadata().entrySet().containsAll(wanted.entrySet()))
            .filter(s -> states.contains(s.paused() ? "paused" : "running"))
            .sorted(java.util.Comparator.comparing(FakeSandbox::id))
            .toList();
    ArrayNode array = Exchange.JSON.createArrayNode();
    found.stream().skip(from).limit(limit).forEach(s -> array.add(detail(s)));
    if (from + limit < found.size()) {
      exchange.set("X-Next-Token", String.valueOf(from + limit));
    }
    exchange.set("X-Total-Running", String.valueOf(found.size()));
    exchange.answer(200, array);
  }

  private static String decode(String text) {
    return URLDecoder.decode(text, StandardCharsets.UTF_8);
  }

  private void one(Exchange exchange, FakeSandbox sandbox, String action, String path)
      throws IOException {
    boolean post = exchange.method().equals("POST");
    if (action.isEmpty() && exchange.method().equals("GET")) {
      exchange.answer(200, detail(sandbox));
    } else if (action.isEmpty() && exchange.method().equals("DELETE")) {
      sandbox.end();
      exchange.answer(204);
    } else if (!post || action.isEmpty()) {
      error(exchange, 405, "method not allowed");
    } else {
      act(exchange, sandbox, action, path.startsWith("/v2"));
    }
  }

  private void act(Exchange exchange, FakeSandbox sandbox, String action, boolean v2)
      throws IOException {
    ObjectNode body = exchange.json();
    switch (action) {
      case "pause" -> {
        if (sandbox.pause()) {
          exchange.answer(204);
        } else {
          error(exchange, 409, "sandbox is already paused");
        }
      }
      case "connect", "resume" -> {
        if (!v2 && action.equals("connect") && !body.has("timeout")) {
          error(exchange, 400, "timeout is required");
          return;
        }
        boolean was = sandbox.paused();
        if (action.equals("resume") && !was) {
          error(exchange, 409, "sandbox is running");
          return;
        }
        Duration life = Duration.ofSeconds(body.path("timeout").asInt(300));
        if (was) {
          sandbox.resume();
          sandbox.live(life);
        } else if (Instant.now().plus(life).isAfter(sandbox.endAt())) {
          sandbox.live(life);
        }
        exchange.answer(was ? 201 : 200, describe(sandbox));
      }
      case "timeout" -> {
        int seconds = body.path("timeout").asInt(0);
        if (seconds <= 0 || seconds > LONGEST) {
          error(exchange, 400, "Max instance length exceeded");
        } else if (sandbox.paused()) {
          error(exchange, 409, "sandbox is paused");
        } else {
          sandbox.live(Duration.ofSeconds(seconds));
          exchange.answer(204);
        }
      }
      case "snapshots" -> snapshots.take(exchange, sandbox, body, sandboxes.newId());
      default -> exchange.answer(204);
    }
  }
}
