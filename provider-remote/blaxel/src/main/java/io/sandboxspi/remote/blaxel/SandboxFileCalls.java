package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.remote.transport.Undo;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.UUID;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Files of one sandbox, byte for byte. Thread-safe. */
final class SandboxFileCalls {
  private static final Logger LOG = LoggerFactory.getLogger(SandboxFileCalls.class);
  private static final Duration IDLE = Duration.ofSeconds(60);

  /** What is longer travels in parts of this size. */
  static final int PART = 5 << 20;

  private static final String MODE = "0600";

  private final SandboxApi api;

  SandboxFileCalls(SandboxApi api) {
    this.api = api;
  }

  /** With the slash that begins an absolute path, beside the one of the address. */
  private static String path(String call, String absolute) {
    StringBuilder path = new StringBuilder(call);
    for (String segment : absolute.split("/", -1)) {
      path.append('/').append(HttpCall.encode(segment));
    }
    return path.toString();
  }

  InputStream read(String absolute, Deadline deadline) throws InterruptedException {
    HttpCall call =
        api.call("reading a file", "GET", path("/filesystem/", absolute))
            .header("Accept", "application/octet-stream");
    return api.wire()
        .with(call, deadline, signed -> api.wire().transport().download(signed, IDLE, deadline));
  }

  void write(String absolute, InputStream content, Deadline deadline) throws InterruptedException {
    byte[] first = part(content);
    if (first.length < PART) {
      HttpCall call =
          form(api.call("writing a file", "PUT", path("/filesystem/", absolute)), first)
              .repeat(Repeat.ALWAYS);
      Object unused = api.wire().send(call, deadline);
      return;
    }
    String upload = begin(absolute, deadline);
    boolean done = false;
    try {
      ObjectNode body = Json.object();
      ArrayNode parts = body.putArray("parts");
      int number = 1;
      for (byte[] next = first; next.length > 0; next = part(content)) {
        parts
            .addObject()
            .put("partNumber", number)
            .put("etag", send(upload, number, next, deadline));
        number++;
      }
      HttpCall call =
          api.call("completing a file", "POST", "/filesystem-multipart/" + upload + "/complete")
              .json(body);
      Object unused = api.wire().send(call, deadline);
      done = true;
    } finally {
      if (!done) {
        // Parts stay in the sandbox's memory otherwise.
        abort(upload);
      }
    }
  }

  private static byte[] part(InputStream content) {
    try {
      return content.readNBytes(PART);
    } catch (IOException e) {
      throw new RemoteException(Kind.CLOSED, "writing a file: its content cannot be read", e);
    }
  }

  private String begin(String absolute, Deadline deadline) throws InterruptedException {
    HttpCall call =
        api.call("beginning a file", "POST", path("/filesystem-multipart/initiate/", absolute))
            .json(Json.object().put("permissions", MODE))
            .repeat(Repeat.REFUSED);
    String id = Json.text("the upload", api.wire().send(call, deadline).object(), "uploadId");
    return HttpCall.encode(id);
  }

  private String send(String upload, int number, byte[] content, Deadline deadline)
      throws InterruptedException {
    HttpCall call =
        form(
                api.call(
                    "writing a part of a file",
                    "PUT",
                    "/filesystem-multipart/" + upload + "/part?partNumber=" + number),
                content)
            .repeat(Repeat.ALWAYS);
    return Json.text("the part", api.wire().send(call, deadline).object(), "etag");
  }

  private void abort(String upload) {
    HttpCall call =
        api.call("dropping a file", "DELETE", "/filesystem-multipart/" + upload + "/abort")
            .repeat(Repeat.ALWAYS);
    Undo.attempt(
        deadline -> {
          Object unused = api.wire().send(call, deadline);
        },
        e -> LOG.warn("parts of a file may be left in the sandbox: {}", e.getMessage()));
  }

  /** The mode comes before the file, which needs a name. */
  private static HttpCall form(HttpCall call, byte[] content) {
    String boundary = "sandbox-" + UUID.randomUUID();
    ByteArrayOutputStream body = new ByteArrayOutputStream(content.length + 512);
    text(
        body,
        "--"
            + boundary
            + "\r\nContent-Disposition: form-data; name=\"permissions\"\r\n\r\n"
            + MODE
            + "\r\n--"
            + boundary
            + "\r\nContent-Disposition: form-data; name=\"file\"; filename=\"file.bin\"\r\n"
            + "Content-Type: application/octet-stream\r\n\r\n");
    body.writeBytes(content);
    text(body, "\r\n--" + boundary + "--\r\n");
    return call.bytes("multipart/form-data; boundary=" + boundary, body.toByteArray());
  }

  private static void text(ByteArrayOutputStream out, String text) {
    out.writeBytes(text.getBytes(StandardCharsets.UTF_8));
  }
}
