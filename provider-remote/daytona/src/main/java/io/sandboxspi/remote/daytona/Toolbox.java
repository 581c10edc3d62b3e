package io.sandboxspi.remote.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.TerminalSize;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.remote.transport.WebSocketLink;
import io.sandboxspi.remote.transport.WebSocketListener;
import io.sandboxspi.remote.transport.WebSocketOptions;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import java.util.UUID;

/** The daemon of one sandbox. Thread-safe. */
final class Toolbox {
  private static final Duration IDLE = Duration.ofSeconds(60);

  // The daemon refuses more; as a terminal nobody has.
  private static final int MOST_CELLS = 1000;

  private final Wire wire;
  private final URI base;
  private final WebSocketOptions sockets;

  /**
   * Makes no call.
   *
   * @param base with the sandbox's id
   */
  Toolbox(Wire wire, URI base, WebSocketOptions sockets) {
    this.wire = wire;
    this.base = base;
    this.sockets = sockets;
  }

  /** Of the daemon itself, or of the proxy before it; without brackets. */
  String host() {
    return base.getHost().replaceAll("[\\[\\]]", "");
  }

  private HttpCall call(String what, String method, String path) {
    return wire.call(what, method, URI.create(base + path));
  }

  /** The home directory of the user that processes belong to. */
  String home(Deadline deadline) throws InterruptedException {
    HttpCall call = call("asking for the home directory", "GET", "/user-home-dir");
    return Json.text("the home directory", wire.transport().call(call, deadline).object(), "dir");
  }

  /**
   * Makes a terminal; its shell starts with the first connection, so that nothing of it is missed.
   * Sent once.
   */
  void makePty(String id, Map<String, String> environment, TerminalSize size, Deadline deadline)
      throws InterruptedException {
    ObjectNode body =
        Json.object()
            .put("id", id)
            .put("cols", Math.min(MOST_CELLS, size.columns()))
            .put("rows", Math.min(MOST_CELLS, size.rows()))
            .put("lazyStart", true);
    ObjectNode variables = body.putObject("envs");
    environment.forEach(variables::put);
    HttpCall call =
        call("making a terminal", "POST", "/process/pty").json(body).repeat(Repeat.REFUSED);
    Object unused = wire.transport().call(call, deadline);
  }

  WebSocketLink connect(String id, WebSocketListener listener, Deadline deadline)
      throws InterruptedException {
    URI uri = URI.create(base.toString().replaceFirst("^http", "ws") + pty(id) + "/connect");
    HttpCall call = wire.call("connecting to a terminal", "GET", uri);
    return wire.transport().webSocket(call, sockets, listener, deadline);
  }

  /** Whether a terminal's shell lives. */
  boolean hasPty(String id, Deadline deadline) throws InterruptedException {
    try {
      HttpCall call = call("asking for a terminal", "GET", pty(id));
      return wire.transport().call(call, deadline).object().path("active").asBoolean(true);
    } catch (RemoteException e) {
      if (e.said(404)) {
        return false;
      }
      throw e;
    }
  }

  private static String pty(String id) {
    return "/process/pty/" + HttpCall.encode(id);
  }

  /** Does nothing once it has ended. */
  void resize(String id, TerminalSize size, Deadline deadline) throws InterruptedException {
    ObjectNode body =
        Json.object()
            .put("cols", Math.min(MOST_CELLS, size.columns()))
            .put("rows", Math.min(MOST_CELLS, size.rows()));
    HttpCall call =
        call("resizing a terminal", "POST", pty(id) + "/resize").json(body).repeat(Repeat.ALWAYS);
    try {
      Object unused = wire.transport().call(call, deadline);
    } catch (RemoteException e) {
      if (!e.refusedWith(410) && !e.refusedWith(404)) {
        throw e;
      }
    }
  }

  /** Ends a terminal's shell; does nothing once it has ended. */
  void deletePty(String id, Deadline deadline) throws InterruptedException {
    HttpCall call = call("ending a terminal", "DELETE", pty(id)).repeat(Repeat.ALWAYS);
    try {
      Object unused = wire.transport().call(call, deadline);
    } catch (RemoteException e) {
      if (!e.refusedWith(404)) {
        throw e;
      }
    }
  }

  InputStream download(String path, Deadline deadline) throws InterruptedException {
    HttpCall call =
        call("reading a file", "GET", "/files/download?path=" + HttpCall.encode(path))
            .header("Accept", "*/*");
    return wire.transport().download(call, IDLE, deadline);
  }

  /** Writes a file in place; by the one way that all versions of the daemon have. */
  void upload(String path, InputStream content, Deadline deadline) throws InterruptedException {
    String boundary = "sandbox-" + UUID.randomUUID();
    String head =
        "--"
            + boundary
            + "\r\nContent-Disposition: form-data; name=\"files[0].path\"\r\n\r\n"
            + path
            + "\r\n--"
            + boundary
            + "\r\nContent-Disposition: form-data; name=\"files[0].file\"; filename=\"file\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n";
    InputStream body =
        new SequenceInputStream(
            Collections.enumeration(
                List.of(text(head), content, text("\r\n--" + boundary + "--\r\n"))));
    HttpCall call =
        call("writing a file", "POST", "/files/bulk-upload")
            .upload("multipart/form-data; boundary=" + boundary, body);
    Object unused = wire.transport().call(call, deadline);
  }

  private static InputStream text(String text) {
    return new ByteArrayInputStream(text.getBytes(StandardCharsets.UTF_8));
  }
}
