package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.shell.Machine.State;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.HttpReply;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.spi.Deadline;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Calls to the control plane, version 1: servers that only know later ones still know it. What may
 * have had its effect is repeated only where twice is as good as once.
 */
final class ControlPlane {
  private final HttpTransport transport;
  private final E2bSettings settings;

  ControlPlane(HttpTransport transport, E2bSettings settings) {
    this.transport = transport;
    this.settings = settings;
  }

  E2bSettings settings() {
    return settings;
  }

  HttpTransport transport() {
    return transport;
  }

  /** A call of the control plane. */
  HttpCall call(String what, String method, String path) {
    return HttpCall.of(what, method, URI.create(settings.apiUrl() + path))
        .secret("X-API-Key", settings.neededKey())
        .header("Accept", "application/json");
  }

  /** Makes a sandbox; it is ready when this returns. Sent again only when it was refused. */
  Access create(E2bOptions options, Map<String, String> metadata, Deadline deadline)
      throws InterruptedException {
    ObjectNode body =
        Json.object()
            .put("templateID", options.template())
            .put("timeout", options.timeout().toSeconds())
            .put("secure", true)
            .put("allow_internet_access", options.internet());
    if (options.onTimeout() == E2bOptions.OnTimeout.PAUSE) {
      body.put("autoPause", true);
    }
    if (!options.open()) {
      body.putObject("network").put("allowPublicTraffic", false);
    }
    ObjectNode marks = body.putObject("metadata");
    metadata.forEach(marks::put);
    HttpCall call =
        call("making the sandbox", "POST", "/sandboxes").json(body).repeat(Repeat.REFUSED);
    return Access.of(transport.call(call, deadline).object(), settings);
  }

  /** Reads how to reach it; wakes a paused one, and lets it live at least so long. */
  Access connect(String sandbox, Duration life, Deadline deadline) throws InterruptedException {
    HttpCall call =
        call("connecting to the sandbox", "POST", "/sandboxes/" + sandbox + "/connect")
            .json(Json.object().put("timeout", life.toSeconds()))
            .repeat(Repeat.ALWAYS);
    return Access.of(transport.call(call, deadline).object(), settings);
  }

  /** How it is, without waking it. */
  State state(String sandbox, Deadline deadline) throws InterruptedException {
    try {
      HttpCall call = call("asking for the sandbox", "GET", "/sandboxes/" + sandbox);
      String state = transport.call(call, deadline).object().path("state").asText("");
      return switch (state) {
        case "running" -> State.RUNNING;
        case "paused" -> State.PAUSED;
        default ->
            throw new RemoteException(Kind.MALFORMED, "asking for the sandbox: an unknown state");
      };
    } catch (RemoteException e) {
      if (e.said(404)) {
        return State.GONE;
      }
      throw e;
    }
  }

  /** From now on it lives so long. */
  void live(String sandbox, Duration life, Deadline deadline) throws InterruptedException {
    HttpCall call =
        call("renewing the sandbox's time", "POST", "/sandboxes/" + sandbox + "/timeout")
            .json(Json.object().put("timeout", life.toSeconds()))
            .repeat(Repeat.ALWAYS);
    HttpReply unused = transport.call(call, deadline);
  }

  /** Removes it; whether it was there. */
  boolean remove(String sandbox, Deadline deadline) throws InterruptedException {
    return found(
        call("removing the sandbox", "DELETE", "/sandboxes/" + sandbox).repeat(Repeat.ALWAYS),
        deadline);
  }

  /** Pauses it; one that is paused already is fine. Whether it was there. */
  boolean pause(String sandbox, Deadline deadline) throws InterruptedException {
    try {
      return found(
          call("pausing the sandbox", "POST", "/sandboxes/" + sandbox + "/pause")
              .json(Json.object())
              .repeat(Repeat.ALWAYS),
          deadline);
    } catch (RemoteException e) {
      if (e.refusedWith(409) && state(sandbox, deadline) == State.PAUSED) {
        return true;
      }
      throw e;
    }
  }

  private boolean found(HttpCall call, Deadline deadline) throws InterruptedException {
    try {
      HttpReply unused = transport.call(call, deadline);
      return true;
    } catch (RemoteException e) {
      if (e.said(404)) {
        return false;
      }
      throw e;
    }
  }

  /**
   * A sandbox of the vendor's list.
   *
   * @param paused whether it is kept without running
   */
  record Listed(String sandbox, boolean paused, Map<String, String> metadata) {}

  /** All sandboxes with this in their metadata, paused ones too. */
  List<Listed> find(String name, String value, Deadline deadline) throws InterruptedException {
    // The parameter is a query of its own, and the server decodes names and values once more.
    return list("&metadata=" + HttpCall.encode(twice(name) + "=" + twice(value)), deadline);
  }

  /** All sandboxes, paused ones too. */
  List<Listed> list(Deadline deadline) throws InterruptedException {
    return list("", deadline);
  }

  private List<Listed> list(String filter, Deadline deadline) throws InterruptedException {
    List<Listed> found = new ArrayList<>();
    Optional<String> next = Optional.empty();
    do {
      String path =
          "/v2/sandboxes?limit=100&state="
              + HttpCall.encode("running,paused")
              + filter
              + next.map(token -> "&nextToken=" + HttpCall.encode(token)).orElse("");
      HttpReply reply = transport.call(call("listing sandboxes", "GET", path), deadline);
      for (JsonNode each : reply.json()) {
        Map<String, String> metadata = new HashMap<>();
        each.path("metadata")
            .properties()
            .forEach(field -> metadata.put(field.getKey(), field.getValue().asText()));
        found.add(
            new Listed(
                Json.text("the list", each, "sandboxID").split("-", 2)[0],
                each.path("state").asText("").equals("paused"),
                metadata));
      }
      next = reply.header("X-Next-Token").filter(token -> !token.isEmpty());
    } while (next.isPresent());
    return found;
  }

  /** Reads how to reach one that runs, without changing its time. */
  Access access(String sandbox, Deadline deadline) throws InterruptedException {
    HttpCall call = call("asking for the sandbox", "GET", "/sandboxes/" + sandbox);
    return Access.of(transport.call(call, deadline).object(), settings);
  }

  private static String twice(String text) {
    return HttpCall.encode(HttpCall.encode(text));
  }
}
