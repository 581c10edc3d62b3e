package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The control plane. */
final class ControlPlane {
  private static final Pattern ONE = Pattern.compile("/sandboxes/([^/]+)(/.*)?");
  private static final Pattern PREVIEW = Pattern.compile("/previews(?:/([^/]+)(/tokens)?)?");
  private static final Set<String> IMAGES =
      Set.of("blaxel/base-image:latest", "blaxel/py-app:latest", "blaxel/ts-app:latest");

  /** A name is free again in these. */
  private static final Set<String> ENDED = Set.of("FAILED", "TERMINATED");

  private final Sandboxes sandboxes;

  ControlPlane(Sandboxes sandboxes) {
    this.sandboxes = sandboxes;
  }

  void answer(Exchange exchange, String path) throws IOException {
    Matcher one = ONE.matcher(path);
    if (path.equals("/sandboxes") && exchange.method().equals("POST")) {
      create(exchange);
    } else if (path.equals("/sandboxes") && exchange.method().equals("GET")) {
      list(exchange);
    } else if (one.matches()) {
      Optional<FakeSandbox> sandbox = sandboxes.find(one.group(1));
      if (sandbox.isEmpty()) {
        refuse(exchange, 404, "Sandbox " + one.group(1) + " not found");
      } else {
        one(exchange, sandbox.get(), one.group(2) == null ? "" : one.group(2));
      }
    } else {
      refuse(exchange, 404, "no such path");
    }
  }

  private static void refuse(Exchange exchange, int status, String message) {
    exchange.answer(
        status,
        BlaxelFake.object().put("error", message).put("code", status).put("message", message));
  }

  /** A create has errors of its own shape. */
  private static void refuseCreate(Exchange exchange, int status, String code, String message) {
    exchange.answer(
        status,
        BlaxelFake.object()
            .put("code", code)
            .put("message", message)
            .put("status_code", status)
            .put("step", "validation")
            .put("workspace", BlaxelFake.WORKSPACE)
            .put("timestamp", Instant.now().toString()));
  }

  private void create(Exchange exchange) throws IOException {
    ObjectNode body = exchange.json();
    String name =
        body.path("metadata")
            .path("name")
            .asText("sbx-" + UUID.randomUUID().toString().substring(0, 8));
    String image = body.path("spec").path("runtime").path("image").asText("");
    Optional<FakeSandbox> before = sandboxes.find(name);
    if (!name.matches("[a-z0-9-]{1,49}")) {
      refuseCreate(exchange, 400, "BAD_REQUEST", "metadata.name is not valid");
    } else if (!IMAGES.contains(image)) {
      refuseCreate(exchange, 400, "INVALID_IMAGE", "image " + image + " does not exist");
    } else if (before.isPresent() && !ENDED.contains(before.get().status())) {
      refuseCreate(exchange, 409, "SANDBOX_ALREADY_EXISTS", "sandbox " + name + " exists");
    } else {
      FakeSandbox sandbox = new FakeSandbox(sandboxes, name, body);
      sandboxes.add(sandbox);
      exchange.answer(200, sandbox.describe());
    }
  }

  private void list(Exchange exchange) {
    int from = Integer.parseInt(exchange.query("cursor").filter(c -> !c.isEmpty()).orElse("0"));
    int limit = Integer.parseInt(exchange.query("limit").orElse("50"));
    List<FakeSandbox> found =
        sandboxes.all().stream().filter(each -> !each.status().equals("TERMINATED")).toList();
    ObjectNode answer = BlaxelFake.object();
    ArrayNode data = answer.putArray("data");
    found.stream().skip(from).limit(limit).forEach(sandbox -> data.add(sandbox.describe()));
    boolean more = from + limit < found.size();
    ObjectNode meta = answer.putObject("meta").put("hasMore", more);
    if (more) {
      meta.put("nextCursor", String.valueOf(from + limit));
    }
    exchange.answer(200, answer);
  }

  private static void one(Exchange exchange, FakeSandbox sandbox, String action)
      throws IOException {
    Matcher preview = PREVIEW.matcher(action);
    switch (exchange.method() + " " + action) {
      case "GET " -> exchange.answer(200, sandbox.describe());
      case "PUT " -> {
        sandbox.config(exchange.json());
        exchange.answer(200, sandbox.describe());
      }
      case "DELETE " -> {
        if (sandbox.status().equals("TERMINATED")) {
          refuse(exchange, 404, "Sandbox not found");
        } else {
          sandbox.delete();
          exchange.answer(200, sandbox.describe());
        }
      }
      default -> {
        if (preview.matches()) {
          preview(exchange, sandbox, preview);
        } else {
          refuse(exchange, 404, "no such path");
        }
      }
    }
  }

  private static void preview(Exchange exchange, FakeSandbox sandbox, Matcher path)
      throws IOException {
    String name = path.group(1);
    ObjectNode known = name == null ? null : sandbox.previews().get(name);
    if (name == null && exchange.method().equals("POST")) {
      ObjectNode body = exchange.json();
      String made = body.path("metadata").path("name").asText("");
      int port = body.path("spec").path("port").asInt();
      body.withObject("/spec")
          .put("url", "https://" + made + "-" + sandbox.name() + ".us-pdx-1.preview.bl.run")
          .put("region", "us-pdx-1")
          .put("port", port);
      body.withObject("/metadata").put("resourceName", sandbox.name());
      body.put("status", "DEPLOYED");
      sandbox.previews().put(made, body);
      exchange.answer(200, body);
    } else if (name == null) {
      ArrayNode all = Exchange.JSON.createArrayNode();
      sandbox.previews().values().forEach(all::add);
      exchange.answer(200, all);
    } else if (known == null) {
      refuse(exchange, 404, "Preview not found");
    } else if (path.group(2) != null) {
      ObjectNode body = exchange.json();
      body.withObject("/spec").put("token", "preview-token-of-" + name).put("expired", false);
      exchange.answer(200, body);
    } else {
      if (exchange.method().equals("DELETE")) {
        sandbox.previews().remove(name);
      }
      exchange.answer(200, known);
    }
  }
}
