package io.sandboxspi.remote.cloudflare;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.Endpoint;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.transport.ErrorBody;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.HttpTransport;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.OptionReader;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.remote.transport.RetryPolicy;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.remote.transport.WebSocketListener;
import io.sandboxspi.remote.transport.WebSocketOptions;
import io.sandboxspi.spi.Deadline;
import java.io.InputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.UUID;

/** The calls of a bridge, which is a worker in its user's account. Thread-safe. */
final class Bridge {
  static final String USER_AGENT = "sandboxspi-java/0.1";

  private static final Duration IDLE = Duration.ofSeconds(60);
  private static final RetryPolicy RETRIES =
      new RetryPolicy(4, Duration.ofMillis(250), Duration.ofSeconds(5));
  private static final int HTTPS = 443;
  private static final int HTTP = 80;

  private final HttpTransport transport;
  private final CloudflareSettings settings;
  private final String base;

  /** Makes no call; settings and options are checked. */
  Bridge(CloudflareSettings settings, Map<String, String> connection) {
    this.settings = settings.needed();
    this.base = settings.worker().orElseThrow().toString();
    this.transport =
        HttpTransport.of(
            new OptionReader(CloudflareProvider.NAME, connection).client(USER_AGENT),
            RETRIES,
            ErrorBody::common);
  }

  /** Its address. */
  String worker() {
    return base;
  }

  private HttpCall call(String what, String method, String path) {
    return HttpCall.of(what, method, URI.create(base + "/v1" + path))
        .header("Accept", "*/*")
        .secret("Authorization", "Bearer ", settings.key().orElseThrow());
  }

  private static String sandbox(String id) {
    return "/sandbox/" + id;
  }

  /** An id; nothing is started. */
  String makeId(Deadline deadline) throws InterruptedException {
    HttpCall call = call("creating the sandbox", "POST", "/sandbox").repeat(Repeat.ALWAYS);
    String id = Json.text("the sandbox", transport.call(call, deadline).object(), "id");
    if (!id.matches("[a-z2-7]{1,128}")) {
      throw new RemoteException(Kind.MALFORMED, "creating the sandbox: the answer has no id");
    }
    return id;
  }

  /** Starts the sandbox's container, unless one runs. */
  void wake(String id, Deadline deadline) throws InterruptedException {
    HttpCall call = call("starting the sandbox", "GET", sandbox(id) + "/running");
    if (!transport.call(call, deadline).object().path("running").asBoolean(false)) {
      throw new RemoteException(Kind.CLOSED, "starting the sandbox: nothing runs in it");
    }
  }

  /**
   * Runs a script in a shell and answers its output, which must be text. Never sent twice.
   *
   * @throws RemoteException also when its last word is missing: an end may be made up
   */
  String ask(String id, String what, String script, Deadline deadline) throws InterruptedException {
    String word = UUID.randomUUID().toString();
    ObjectNode body = Json.object();
    ArrayNode argv = body.putArray("argv");
    argv.add("/bin/sh").add("-c").add("(" + script + "\n)\nprintf '\\n%s %d' " + word + " $?");
    body.put("timeout_ms", Math.max(1, deadline.remaining().toMillis()));
    HttpCall call = call(what, "POST", sandbox(id) + "/exec").json(body);
    Events events = Events.read(what, transport.call(call, deadline).body());
    String output = events.stdout();
    int at = output.lastIndexOf("\n" + word + " ");
    if (at < 0) {
      throw new RemoteException(
          Kind.BROKEN, what + ": the command ended without its last word " + events.words());
    }
    String code = output.substring(at + word.length() + 2);
    if (!code.equals("0")) {
      throw new RemoteException(
          Kind.CLOSED, what + ": the command failed with code " + code + ": " + events.words());
    }
    return output.substring(0, at);
  }

  /** Makes a session, which a terminal of its own comes with. */
  void makeSession(String id, String session, Map<String, String> environment, Deadline deadline)
      throws InterruptedException {
    ObjectNode body = Json.object().put("id", session);
    ObjectNode variables = body.putObject("env");
    environment.forEach(variables::put);
    HttpCall call =
        call("making a terminal", "POST", sandbox(id) + "/session")
            .json(body)
            .repeat(Repeat.REFUSED);
    Object unused = transport.call(call, deadline);
  }

  /** Ends a session with what runs in it; does nothing once it has gone. */
  void deleteSession(String id, String session, Deadline deadline) throws InterruptedException {
    HttpCall call = call("ending a terminal", "DELETE", sandbox(id) + "/session/" + session);
    try {
      Object unused = transport.call(call, deadline);
    } catch (RemoteException e) {
      if (!(e.refusedWith(502) && String.valueOf(e.getMessage()).contains("not found"))) {
        throw e;
      }
    }
  }

  /** Connects to the session's terminal; it is made by the first connection. */
  WebSocketLink connect(
      String id, String session, TerminalSize size, WebSocketListener listener, Deadline deadline)
      throws InterruptedException {
    String query = "/pty?cols=" + size.columns() + "&rows=" + size.rows() + "&session=" + session;
    URI uri = URI.create(base.replaceFirst("^http", "ws") + "/v1" + sandbox(id) + query);
    HttpCall call =
        HttpCall.of("connecting to a terminal", "GET", uri)
            .secret("Authorization", "Bearer ", settings.key().orElseThrow());
    return transport.webSocket(call, WebSocketOptions.DEFAULT, listener, deadline);
  }

  /** Writes a file of 32 MiB at most; parents are made. */
  void put(String id, String path, byte[] content, Deadline deadline) throws InterruptedException {
    HttpCall call =
        call("writing a file", "PUT", sandbox(id) + "/file" + encoded(path))
            .bytes("application/octet-stream", content)
            .repeat(Repeat.ALWAYS);
    Object unused = transport.call(call, deadline);
  }

  /** Reads a file whose name ends in {@code .bin}: others may come changed. */
  InputStream get(String id, String path, Deadline deadline) throws InterruptedException {
    return transport.download(
        call("reading a file", "GET", sandbox(id) + "/file" + encoded(path)), IDLE, deadline);
  }

  /**
   * The bridge decodes little of an address: what it leaves encoded must be sent as it is.
   *
   * @param path absolute; no {@code #}, {@code ?} or percent sign can be sent at all
   */
  static String encoded(String path) {
    if (path.matches(".*[#?%].*")) {
      throw new RemoteException(Kind.CLOSED, "a path with one of # ? % cannot be sent");
    }
    StringBuilder encoded = new StringBuilder();
    for (byte each : path.getBytes(StandardCharsets.UTF_8)) {
      boolean plain = each > ' ' && each < 0x7f && "\"<>[]\\^`{|}".indexOf(each) < 0;
      encoded.append(plain ? String.valueOf((char) each) : String.format("%%%02X", each & 0xff));
    }
    return encoded.toString();
  }

  /** Makes a port's public address, or finds it again. */
  Endpoint tunnel(String id, int port, Deadline deadline) throws InterruptedException {
    HttpCall call =
        call("making an address of a port", "POST", sandbox(id) + "/tunnel/" + port)
            .repeat(Repeat.ALWAYS);
    ObjectNode answer = transport.call(call, deadline).object();
    URI url;
    try {
      url = URI.create(Json.text("the port's address", answer, "url"));
    } catch (IllegalArgumentException e) {
      throw new RemoteException(Kind.MALFORMED, "the port's address is none");
    }
    boolean tls = !"http".equals(url.getScheme());
    if (url.getHost() == null) {
      throw new RemoteException(Kind.MALFORMED, "the port's address has no host");
    }
    int outer = url.getPort() > 0 ? url.getPort() : tls ? HTTPS : HTTP;
    return new Endpoint(url.getHost(), outer, tls, java.util.Optional.empty());
  }

  /** How many containers belong to sandboxes, whoever uses them; it names none. */
  long assigned(Deadline deadline) throws InterruptedException {
    HttpCall call = call("asking for the containers", "GET", "/pool/stats");
    return transport.call(call, deadline).object().path("assigned").asLong(-1);
  }

  /** Ends the sandbox's container, if one runs; the bridge says yes to everything. */
  void delete(String id, Deadline deadline) throws InterruptedException {
    HttpCall call = call("deleting the sandbox", "DELETE", sandbox(id)).repeat(Repeat.ALWAYS);
    Object unused = transport.call(call, deadline);
  }
}
