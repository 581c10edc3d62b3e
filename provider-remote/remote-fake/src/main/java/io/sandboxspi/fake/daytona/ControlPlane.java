package io.sandboxspi.fake.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The control plane: what is asked for is begun, and happens a little later. */
final class ControlPlane {
  private static final Pattern ONE = Pattern.compile("/sandbox/([^/]+)(/.*)?");
  private static final Pattern SNAPSHOT = Pattern.compile("/snapshots/([^/]+)");

  private final Sandboxes sandboxes;
  private final Snapshots snapshots;
  private final PreviewProxy previews;
  private volatile int page = 100;

  ControlPlane(Sandboxes sandboxes, Snapshots snapshots, PreviewProxy previews) {
    this.sandboxes = sandboxes;
    this.snapshots = snapshots;
    this.previews = previews;
  }

  /** The list comes in pieces of so many at most. */
  void page(int most) {
    page = most;
  }

  void answer(Exchange exchange, String path) throws IOException {
    Matcher one = ONE.matcher(path);
    Matcher snapshot = SNAPSHOT.matcher(path);
    if (path.equals("/sandbox") && exchange.method().equals("POST")) {
      create(exchange);
    } else if (path.equals("/sandbox") && exchange.method().equals("GET")) {
      list(exchange);
    } else if (snapshot.matches()) {
      snapshots.answer(exchange, snapshot.group(1));
    } else if (one.matches()) {
      Optional<FakeSandbox> sandbox = sandboxes.find(one.group(1));
      if (sandbox.isEmpty()) {
        DaytonaFake.error(
            exchange, 404, "Not Found", "Sandbox with ID or name " + one.group(1) + " not found");
      } else {
        one(exchange, sandbox.get(), one.group(2) == null ? "" : one.group(2));
      }
    } else {
      DaytonaFake.error(exchange, 404, "Not Found", "Cannot " + exchange.method() + " " + path);
    }
  }

  private void create(Exchange exchange) throws IOException {
    ObjectNode body = exchange.json();
    boolean image = body.path("buildInfo").has("dockerfileContent");
    String snapshot = body.path("snapshot").asText("default");
    if (body.has("name") && sandboxes.find(body.path("name").asText()).isPresent()) {
      DaytonaFake.error(exchange, 409, "Conflict", "Sandbox with this name already exists");
    } else if (!image && !snapshots.usable(snapshot)) {
      DaytonaFake.error(exchange, 400, "Bad Request", "Snapshot " + snapshot + " not found");
    } else if (!image && (body.has("cpu") || body.has("memory") || body.has("disk"))) {
      DaytonaFake.error(
          exchange, 400, "Bad Request", "Cannot specify Sandbox resources when using a snapshot");
    } else {
      FakeSandbox sandbox = new FakeSandbox(sandboxes, body, snapshots.content(snapshot));
      sandboxes.add(sandbox);
      sandbox.change("creating", "started", () -> {});
      exchange.answer(200, sandbox.describe());
    }
  }

  private void list(Exchange exchange) throws IOException {
    JsonNode wanted = Exchange.JSON.readTree(exchange.query("labels").orElse("{}"));
    int from = Integer.parseInt(exchange.query("cursor").filter(c -> !c.isEmpty()).orElse("0"));
    int limit = Math.min(page, Integer.parseInt(exchange.query("limit").orElse("100")));
    List<FakeSandbox> found =
        sandboxes.all().stream()
            .filter(sandbox -> matches(sandbox.config().path("labels"), wanted))
            .sorted(Comparator.comparing(FakeSandbox::id))
            .toList();
    ObjectNode answer = FakeSandbox.object();
    ArrayNode items = answer.putArray("items");
    found.stream().skip(from).limit(limit).forEach(sandbox -> items.add(sandbox.describe()));
    if (from + limit < found.size()) {
      answer.put("nextCursor", String.valueOf(from + limit));
    } else {
      answer.putNull("nextCursor");
    }
    exchange.answer(200, answer);
  }

  private static boolean matches(JsonNode labels, JsonNode wanted) {
    boolean all = true;
    for (var field : wanted.properties()) {
      all &= labels.path(field.getKey()).asText("").equals(field.getValue().asText());
    }
    return all;
  }

  private void one(Exchange exchange, FakeSandbox sandbox, String action) throws IOException {
    switch (exchange.method() + " " + action) {
      case "GET " -> exchange.answer(200, sandbox.describe());
      case "DELETE " -> {
        sandbox.change("destroying", "destroyed", sandbox::destroy);
        exchange.answer(200, sandbox.describe());
      }
      case "POST /start" ->
          change(exchange, sandbox, Set.of("stopped", "archived", "paused"), "starting", "started");
      case "POST /stop" -> change(exchange, sandbox, Set.of("started"), "stopping", "stopped");
      case "POST /archive" -> change(exchange, sandbox, Set.of("stopped"), "archiving", "archived");
      case "POST /pause" -> {
        if (sandbox.config().path("class").asText().equals("vm")) {
          change(exchange, sandbox, Set.of("started"), "pausing", "paused");
        } else {
          DaytonaFake.error(
              exchange, 422, "Unprocessable Entity", "Pausing is not supported for this sandbox");
        }
      }
      case "POST /snapshot" -> snapshots.take(exchange, sandbox);
      case "POST /recover" -> change(exchange, sandbox, Set.of("error"), "starting", "started");
      case "POST /last-activity" -> {
        sandbox.touch();
        exchange.answer(201);
      }
      case "PUT /labels" -> {
        sandbox.config().set("labels", exchange.json().path("labels"));
        exchange.answer(200, exchange.json());
      }
      case "GET /toolbox-proxy-url" ->
          exchange.answer(
              200,
              FakeSandbox.object().put("url", sandbox.describe().path("toolboxProxyUrl").asText()));
      default -> other(exchange, sandbox, action);
    }
  }

  private void other(Exchange exchange, FakeSandbox sandbox, String action) {
    Matcher interval =
        Pattern.compile("/auto(stop|archive|delete|pause)/(-?[0-9]+)").matcher(action);
    if (PreviewProxy.asks(action)) {
      previews.answer(exchange, sandbox, action);
    } else if (interval.matches()) {
      sandbox
          .config()
          .put(
              "auto"
                  + interval.group(1).substring(0, 1).toUpperCase(java.util.Locale.ROOT)
                  + interval.group(1).substring(1)
                  + "Interval",
              Integer.parseInt(interval.group(2)));
      exchange.answer(200, sandbox.describe());
    } else {
      DaytonaFake.error(exchange, 404, "Not Found", "no such action");
    }
  }

  private static void change(
      Exchange exchange, FakeSandbox sandbox, Set<String> from, String through, String to) {
    if (sandbox.state().endsWith("ing")) {
      DaytonaFake.error(exchange, 409, "Conflict", "Sandbox state change in progress");
    } else if (!from.contains(sandbox.state())) {
      DaytonaFake.error(exchange, 400, "Bad Request", "Sandbox is not in a valid state");
    } else {
      boolean asleep = sandbox.state().equals("paused");
      sandbox.change(
          through,
          to,
          () -> {
            if (to.equals("paused")) {
              sandbox.freeze();
            } else if (asleep) {
              sandbox.thaw();
            } else if (to.equals("started")) {
              sandbox.renewToken();
            } else if (to.equals("stopped")) {
              sandbox.endProcesses();
            }
          });
      exchange.answer(200, sandbox.describe());
    }
  }
}
