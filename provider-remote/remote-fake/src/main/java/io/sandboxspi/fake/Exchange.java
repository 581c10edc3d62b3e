package io.sandboxspi.fake;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import org.eclipse.jetty.http.HttpField;
import org.eclipse.jetty.http.MultiPartConfig;
import org.eclipse.jetty.http.MultiPartFormData;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.Fields;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** One request and its answer. */
public final class Exchange {
  /** Reads and writes JSON. */
  public static final ObjectMapper JSON = new ObjectMapper();

  private final Request request;
  private final Response response;
  private final Callback callback;
  private final Optional<Fault> fault;

  Exchange(Request request, Response response, Callback callback, Optional<Fault> fault) {
    this.request = request;
    this.response = response;
    this.callback = callback;
    this.fault = fault;
  }

  /** Its method. */
  public String method() {
    return request.getMethod();
  }

  /** Its path, decoded. */
  public String path() {
    return Request.getPathInContext(request);
  }

  /** Its path as it was sent. */
  public String rawPath() {
    return request.getHttpURI().getPath();
  }

  /** A header; empty without one. */
  public Optional<String> header(String name) {
    return Optional.ofNullable(request.getHeaders().get(name));
  }

  /** Names of its headers, in lower case. */
  public Set<String> headers() {
    Set<String> names = new TreeSet<>();
    request.getHeaders().forEach(field -> names.add(field.getLowerCaseName()));
    return names;
  }

  /** A parameter of the query; empty without one. */
  public Optional<String> query(String name) {
    Fields fields = Request.extractQueryParameters(request);
    return Optional.ofNullable(fields.getValue(name));
  }

  /** Its fault, if it is to meet one. */
  public Optional<Fault> fault() {
    return fault;
  }

  /** The body. */
  public InputStream body() {
    return Content.Source.asInputStream(request);
  }

  /** The body as an object of JSON; an empty one for none. */
  public ObjectNode json() throws IOException {
    byte[] bytes = body().readAllBytes();
    if (bytes.length == 0) {
      return JSON.createObjectNode();
    }
    return JSON.readTree(bytes) instanceof ObjectNode object ? object : JSON.createObjectNode();
  }

  /** Sets a header of the answer. */
  public Exchange set(String name, String value) {
    response.getHeaders().put(new HttpField(name, value));
    return this;
  }

  /** Answers without a body. */
  public void answer(int status) {
    send(status, new byte[0]);
  }

  /** Answers with JSON. */
  public void answer(int status, JsonNode body) {
    set("Content-Type", "application/json");
    send(status, body.toString().getBytes(StandardCharsets.UTF_8));
  }

  /** Answers with bytes. */
  public void answer(int status, String contentType, byte[] body) {
    set("Content-Type", contentType);
    send(status, body);
  }

  /** Answers with a file, piece by piece. */
  public void stream(int status, String contentType, Path file) throws IOException {
    boolean cut = fault.orElse(null) instanceof Fault.CutStream;
    if (fault.isPresent() && !cut) {
      answer(status, contentType, Files.readAllBytes(file));
      return;
    }
    begin(status, contentType);
    response.getHeaders().put("Content-Length", Files.size(file));
    OutputStream out = Content.Sink.asOutputStream(response);
    try (InputStream in = Files.newInputStream(file)) {
      if (cut) {
        out.write(in.readNBytes((int) (Files.size(file) / 2)));
        out.flush();
        cut();
        return;
      }
      long unused = in.transferTo(out);
    }
    out.close();
    callback.succeeded();
  }

  private void send(int status, byte[] body) {
    if (fault.orElse(null) instanceof Fault.Stall) {
      return;
    }
    if (fault.orElse(null) instanceof Fault.CutAfter) {
      cut();
      return;
    }
    if (fault.orElse(null) instanceof Fault.AnswerAfter other) {
      response.setStatus(other.status());
      set("Content-Type", other.contentType());
      byte[] text = other.body().getBytes(StandardCharsets.UTF_8);
      response.write(true, ByteBuffer.wrap(text), callback);
      return;
    }
    response.setStatus(status);
    response.write(true, ByteBuffer.wrap(body), callback);
  }

  /** Whether it asks for a WebSocket. */
  public boolean wantsSocket() {
    return "websocket".equals(request.getHeaders().get("Upgrade"));
  }

  /**
   * Answers with a WebSocket.
   *
   * @param protocol of those that were offered; empty for none
   */
  public void upgrade(Session.Listener listener, Optional<String> protocol) {
    ServerWebSocketContainer container = ServerWebSocketContainer.get(request.getContext());
    boolean done =
        container.upgrade(
            (upgrading, answer, finished) -> {
              protocol.ifPresent(answer::setAcceptedSubProtocol);
              return listener;
            },
            request,
            response,
            callback);
    if (!done) {
      answer(400);
    }
  }

  /** Names of subprotocols that are offered. */
  public List<String> protocols() {
    return request.getHeaders().getValuesList("Sec-WebSocket-Protocol").stream()
        .flatMap(line -> java.util.Arrays.stream(line.split(",")))
        .map(String::strip)
        .toList();
  }

  /** The parts of a form, kept in a directory. */
  public MultiPartFormData.Parts parts(Path directory) {
    MultiPartConfig config =
        new MultiPartConfig.Builder()
            .location(directory)
            .maxMemoryPartSize(8 * 1024)
            .maxPartSize(-1)
            .maxSize(-1)
            .build();
    return MultiPartFormData.getParts(request, request, header("Content-Type").orElse(""), config);
  }

  /** Ends the connection without a word. */
  public void cut() {
    request.getConnectionMetaData().getConnection().getEndPoint().close();
    callback.succeeded();
  }

  /** Begins an answer that goes on. */
  public void begin(int status, String contentType) {
    response.setStatus(status);
    set("Content-Type", contentType);
    // Silence is a matter of the protocol, not of the server.
    request.addIdleTimeoutListener(expired -> false);
  }

  /** Sends a part of it. */
  public void write(byte[] bytes, Callback done) {
    try {
      response.write(false, ByteBuffer.wrap(bytes), done);
    } catch (RuntimeException gone) {
      // The server has forgotten the client already.
      done.failed(gone);
    }
  }

  /** Ends it. */
  public void end() {
    response.write(true, ByteBuffer.allocate(0), callback);
  }

  /** Fails it. */
  void fail(Throwable failure) {
    Response.writeError(request, response, callback, failure);
  }
}
