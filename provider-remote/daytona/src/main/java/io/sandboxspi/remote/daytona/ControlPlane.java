package io.sandboxspi.remote.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.remote.transport.Secret;
import io.sandboxspi.spi.Deadline;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.function.Predicate;

/** The control plane. Its calls begin something; what comes of it is asked for. Thread-safe. */
final class ControlPlane {
  private static final long FIRST_PAUSE = 100;
  private static final long MOST_PAUSE = 1000;

  private final Wire wire;

  ControlPlane(Wire wire) {
    this.wire = wire;
  }

  /**
   * Asks for a sandbox, once.
   *
   * @param name unique: by it the sandbox is found if the answer is lost
   * @param from a snapshot that goes before what the options say of source and size
   */
  Description create(
      String name,
      Map<String, String> labels,
      DaytonaOptions options,
      Optional<String> from,
      Settings settings,
      Deadline deadline)
      throws InterruptedException {
    ObjectNode body = Json.object().put("name", name);
    if (from.isPresent()) {
      body.put("snapshot", from.get());
    } else {
      source(body, options);
    }
    body.put("autoStopInterval", options.life().stop());
    options.life().archive().ifPresent(value -> body.put("autoArchiveInterval", value));
    options.life().delete().ifPresent(value -> body.put("autoDeleteInterval", value));
    options.life().ttl().ifPresent(value -> body.put("ttlMinutes", value));
    options.target().or(settings::target).ifPresent(target -> body.put("target", target));
    if (!options.network()) {
      body.put("networkBlockAll", true);
    }
    if (options.open()) {
      body.put("public", true);
    }
    ObjectNode all = body.putObject("labels");
    labels.forEach(all::put);
    HttpCall call =
        wire.api("creating the sandbox", "POST", "/sandbox").json(body).repeat(Repeat.REFUSED);
    return Description.of(wire.transport().call(call, deadline).object());
  }

  private static void source(ObjectNode body, DaytonaOptions options) {
    options.source().snapshot().ifPresent(snapshot -> body.put("snapshot", snapshot));
    options
        .source()
        .image()
        .ifPresent(
            image -> body.putObject("buildInfo").put("dockerfileContent", "FROM " + image + "\n"));
    options.size().cpu().ifPresent(value -> body.put("cpu", value));
    options.size().memory().ifPresent(value -> body.put("memory", value));
    options.size().disk().ifPresent(value -> body.put("disk", value));
  }

  /** What is known of a sandbox by its id or name. */
  Description describe(String sandbox, Deadline deadline) throws InterruptedException {
    HttpCall call = wire.api("asking for the sandbox", "GET", path(sandbox, ""));
    return Description.of(wire.transport().call(call, deadline).object());
  }

  /** All sandboxes of the organisation. */
  List<Description> list(Deadline deadline) throws InterruptedException {
    List<Description> found = new ArrayList<>();
    String cursor = "";
    do {
      String next = cursor.isEmpty() ? "" : "&cursor=" + HttpCall.encode(cursor);
      HttpCall call = wire.api("listing sandboxes", "GET", "/sandbox?limit=100" + next);
      ObjectNode page = wire.transport().call(call, deadline).object();
      for (JsonNode each : page.path("items")) {
        found.add(Description.of(each));
      }
      cursor = page.path("nextCursor").asText("");
    } while (!cursor.isEmpty() && !cursor.equals("null"));
    return found;
  }

  /** Puts these labels in place of the others; sent again it does no harm. */
  void label(String sandbox, Map<String, String> labels, Deadline deadline)
      throws InterruptedException {
    ObjectNode body = Json.object();
    ObjectNode all = body.putObject("labels");
    labels.forEach(all::put);
    Object unused =
        wire.transport()
            .call(
                wire.api("marking the sandbox", "PUT", path(sandbox, "/labels"))
                    .json(body)
                    .repeat(Repeat.ALWAYS),
                deadline);
  }

  /** Asks until it is so, at growing pauses. */
  Description await(String sandbox, Predicate<Description> wanted, Deadline deadline)
      throws InterruptedException {
    Description[] last = new Description[1];
    poll(
        deadline,
        () -> {
          last[0] = describe(sandbox, deadline);
          return wanted.test(last[0])
              ? Optional.empty()
              : Optional.of("the sandbox is " + last[0].state());
        });
    return last[0];
  }

  /** A question to the vendor. */
  @FunctionalInterface
  interface Question {
    /** How it is; empty once it is as it should be. */
    Optional<String> ask() throws InterruptedException;
  }

  /** Asks until it is so, at growing pauses. */
  static void poll(Deadline deadline, Question question) throws InterruptedException {
    long pause = FIRST_PAUSE;
    for (Optional<String> how = question.ask(); how.isPresent(); how = question.ask()) {
      if (deadline.remainingNanos() < TimeUnit.MILLISECONDS.toNanos(pause)) {
        throw new RemoteException(Kind.TIMEOUT, how.get() + " and did not change in time");
      }
      pause(pause);
      pause = Math.min(MOST_PAUSE, pause + pause / 10);
    }
  }

  static void pause(long millis) throws InterruptedException {
    boolean unused = new CountDownLatch(1).await(millis, TimeUnit.MILLISECONDS);
  }

  /** Starts it, wakes it, or brings it back from the archive; sent again it does no harm. */
  void start(String sandbox, Deadline deadline) throws InterruptedException {
    act("starting the sandbox", "POST", path(sandbox, "/start"), deadline);
  }

  void stop(String sandbox, Deadline deadline) throws InterruptedException {
    act("stopping the sandbox", "POST", path(sandbox, "/stop"), deadline);
  }

  void archive(String sandbox, Deadline deadline) throws InterruptedException {
    act("archiving the sandbox", "POST", path(sandbox, "/archive"), deadline);
  }

  void pause(String sandbox, Deadline deadline) throws InterruptedException {
    act("pausing the sandbox", "POST", path(sandbox, "/pause"), deadline);
  }

  void recover(String sandbox, Deadline deadline) throws InterruptedException {
    act("recovering the sandbox", "POST", path(sandbox, "/recover"), deadline);
  }

  void delete(String sandbox, Deadline deadline) throws InterruptedException {
    act("deleting the sandbox", "DELETE", path(sandbox, ""), deadline);
  }

  /** Says that it is in use. */
  void touch(String sandbox, Deadline deadline) throws InterruptedException {
    act("keeping the sandbox awake", "POST", path(sandbox, "/last-activity"), deadline);
  }

  /** Where its daemon is reached. */
  String toolbox(String sandbox, Deadline deadline) throws InterruptedException {
    HttpCall call = wire.api("asking for the toolbox", "GET", path(sandbox, "/toolbox-proxy-url"));
    return Json.text("the toolbox", wire.transport().call(call, deadline).object(), "url");
  }

  /**
   * Where a port is reached.
   *
   * @param url never shown: a token may be a part of it
   * @param token of the sandbox, until it is started again; empty when the vendor names none
   */
  record Link(Secret url, Optional<Secret> token) {}

  /** Where a port is reached with the sandbox's token. */
  Link link(String sandbox, int port, Deadline deadline) throws InterruptedException {
    return link(sandbox, "/ports/" + port + "/preview-url", deadline);
  }

  /** Where a port is reached for so many seconds by whoever knows the address. */
  Link signedLink(String sandbox, int port, long seconds, Deadline deadline)
      throws InterruptedException {
    return link(
        sandbox, "/ports/" + port + "/signed-preview-url?expiresInSeconds=" + seconds, deadline);
  }

  private Link link(String sandbox, String action, Deadline deadline) throws InterruptedException {
    HttpCall call = wire.api("asking for a port", "GET", path(sandbox, action));
    ObjectNode said = wire.transport().call(call, deadline).object();
    String token = said.path("token").asText("");
    return new Link(
        secret(Json.text("the port", said, "url")),
        token.isEmpty() ? Optional.empty() : Optional.of(secret(token)));
  }

  private static Secret secret(String text) {
    try {
      return Secret.of("the port's token", text);
    } catch (SandboxException e) {
      throw new RemoteException(Kind.MALFORMED, "asking for a port: the answer's token is none", e);
    }
  }

  private static String path(String sandbox, String action) {
    return "/sandbox/" + HttpCall.encode(sandbox) + action;
  }

  private void act(String what, String method, String path, Deadline deadline)
      throws InterruptedException {
    Object unused =
        wire.transport().call(wire.api(what, method, path).repeat(Repeat.ALWAYS), deadline);
  }
}
