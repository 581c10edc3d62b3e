package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.spi.Deadline;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;

/** The control plane. Thread-safe. */
final class ControlPlane {
  private static final long FIRST_PAUSE = 50;
  private static final long MOST_PAUSE = 5000;
  private static final int PAGE = 50;

  private final Wire wire;

  ControlPlane(Wire wire) {
    this.wire = wire;
  }

  private static String one(String sandbox) {
    return "/sandboxes/" + HttpCall.encode(sandbox);
  }

  /**
   * Makes a sandbox, once.
   *
   * @param name unique: by it the sandbox is found if the answer is lost
   */
  Description create(
      String name,
      Map<String, String> labels,
      BlaxelOptions options,
      String region,
      Deadline deadline)
      throws InterruptedException {
    ObjectNode body = Json.object();
    ObjectNode metadata = body.putObject("metadata").put("name", name);
    ObjectNode all = metadata.putObject("labels");
    labels.forEach(all::put);
    ObjectNode spec = body.putObject("spec").put("region", region);
    ObjectNode runtime =
        spec.putObject("runtime").put("image", options.image()).put("memory", options.memory());
    options.life().most().ifPresent(time -> runtime.put("ttl", time));
    ArrayNode ports = runtime.putArray("ports");
    options
        .ports()
        .forEach(
            port ->
                ports
                    .addObject()
                    .put("target", port)
                    .put("protocol", "HTTP")
                    .put("name", "port-" + port));
    options
        .life()
        .idle()
        .ifPresent(
            time ->
                spec.putObject("lifecycle")
                    .putArray("expirationPolicies")
                    .addObject()
                    .put("type", "ttl-idle")
                    .put("value", time)
                    .put("action", "delete"));
    HttpCall call =
        wire.api("creating the sandbox", "POST", "/sandboxes?createIfNotExist=false")
            .json(body)
            .repeat(Repeat.REFUSED);
    try {
      return Description.of(wire.send(call, deadline).object());
    } catch (RemoteException e) {
      // The edge gives up earlier than what is behind it.
      if (e.refusedWith(504)) {
        return await(name, ControlPlane::usable, true, deadline);
      }
      throw e;
    }
  }

  /** Whether it is ready; fails when it never will be. */
  static boolean usable(Description found) {
    if (found.failed() || found.gone() || found.ending()) {
      throw new RemoteException(
          Kind.CLOSED,
          "the sandbox is "
              + found.status()
              + (found.reason().isEmpty() ? "" : ": " + found.reason()));
    }
    return found.deployed();
  }

  /** What is known of a sandbox. */
  Description describe(String sandbox, Deadline deadline) throws InterruptedException {
    return Description.of(record(sandbox, deadline));
  }

  private ObjectNode record(String sandbox, Deadline deadline) throws InterruptedException {
    HttpCall call = wire.api("asking for the sandbox", "GET", one(sandbox));
    return wire.send(call, deadline).object();
  }

  /**
   * Asks until it is so, at growing pauses.
   *
   * @param early whether one that is not found may still come
   */
  Description await(String sandbox, Predicate<Description> wanted, boolean early, Deadline deadline)
      throws InterruptedException {
    for (long pause = FIRST_PAUSE; ; pause = Math.min(MOST_PAUSE, 2 * pause)) {
      String now = "not there";
      try {
        Description found = describe(sandbox, deadline);
        if (wanted.test(found)) {
          return found;
        }
        now = found.status();
      } catch (RemoteException e) {
        if (!early || !e.refusedWith(404)) {
          throw e;
        }
      }
      if (deadline.remaining().toMillis() < pause) {
        throw new RemoteException(
            Kind.TIMEOUT, "the sandbox is " + now + " and did not change in time");
      }
      Wire.pause(pause);
    }
  }

  /** Changes one of its labels. */
  void label(String sandbox, String name, String value, Deadline deadline)
      throws InterruptedException {
    ObjectNode body = record(sandbox, deadline);
    body.withObject("/metadata").withObject("/labels").put(name, value);
    HttpCall call =
        wire.api("labelling the sandbox", "PUT", one(sandbox)).json(body).repeat(Repeat.ALWAYS);
    Object unused = wire.send(call, deadline);
  }

  /** Begins its end; sent again it does no harm. */
  void delete(String sandbox, Deadline deadline) throws InterruptedException {
    HttpCall call = wire.api("deleting the sandbox", "DELETE", one(sandbox)).repeat(Repeat.ALWAYS);
    Object unused = wire.send(call, deadline);
  }

  /** All but those that have ended. */
  List<Description> all(Deadline deadline) throws InterruptedException {
    List<Description> found = new ArrayList<>();
    Optional<String> cursor = Optional.empty();
    do {
      String path =
          "/sandboxes?limit="
              + PAGE
              + cursor.map(value -> "&cursor=" + HttpCall.encode(value)).orElse("");
      JsonNode answer = wire.send(wire.api("listing sandboxes", "GET", path), deadline).json();
      // Older versions of the API answer all of them, in an array.
      for (JsonNode each : answer.isArray() ? answer : answer.path("data")) {
        Description one = Description.of(each);
        if (!one.gone()) {
          found.add(one);
        }
      }
      JsonNode meta = answer.path("meta");
      cursor =
          meta.path("hasMore").asBoolean(true)
              ? Optional.of(meta.path("nextCursor").asText("")).filter(text -> !text.isEmpty())
              : Optional.empty();
    } while (cursor.isPresent());
    return found;
  }

  /** Where a port is reached from outside; made if it is not there. */
  String preview(String sandbox, int port, boolean open, Deadline deadline)
      throws InterruptedException {
    String path = one(sandbox) + "/previews";
    String name = "port-" + port;
    JsonNode preview;
    try {
      HttpCall call = wire.api("asking for a preview", "GET", path + "/" + name);
      preview = wire.send(call, deadline).object();
    } catch (RemoteException e) {
      if (!e.refusedWith(404)) {
        throw e;
      }
      ObjectNode body = Json.object();
      body.putObject("metadata").put("name", name);
      body.putObject("spec").put("port", port).put("public", open);
      HttpCall call = wire.api("making a preview", "POST", path).json(body).repeat(Repeat.REFUSED);
      preview = wire.send(call, deadline).object();
    }
    return Json.text("the preview", preview.path("spec"), "url");
  }

  /** A token for a private preview. */
  String previewToken(String sandbox, int port, Duration life, Deadline deadline)
      throws InterruptedException {
    ObjectNode body = Json.object();
    body.putObject("metadata").put("name", "");
    body.putObject("spec").put("expiresAt", Instant.now().plus(life).toString());
    HttpCall call =
        wire.api(
                "asking for a preview's token",
                "POST",
                one(sandbox) + "/previews/port-" + port + "/tokens")
            .json(body)
            .repeat(Repeat.REFUSED);
    return Json.text("the token", wire.send(call, deadline).object().path("spec"), "token");
  }
}
