package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import org.eclipse.jetty.http.MultiPart;
import org.eclipse.jetty.http.MultiPartFormData;
import org.eclipse.jetty.io.Content;

/** Files that come in parts. Parts of what is never completed stay. */
final class Uploads {
  private final FakeSandbox sandbox;
  private final Map<String, Upload> open = new ConcurrentHashMap<>();

  private record Upload(Path target, String mode, Map<Integer, byte[]> parts) {}

  Uploads(FakeSandbox sandbox) {
    this.sandbox = sandbox;
  }

  int open() {
    return open.size();
  }

  void answer(Exchange exchange, String path) throws IOException {
    if (path.startsWith("/initiate/")) {
      ObjectNode body = exchange.json();
      Path target = FileCalls.path(sandbox, path.substring("/initiate/".length()));
      String id = UUID.randomUUID().toString();
      open.put(
          id,
          new Upload(target, body.path("permissions").asText("0644"), new ConcurrentHashMap<>()));
      exchange.answer(200, BlaxelFake.object().put("uploadId", id).put("path", target.toString()));
      return;
    }
    String[] names = path.substring(1).split("/");
    Upload upload = open.get(names[0]);
    if (upload == null || names.length < 2) {
      Agent.refuse(exchange, 404, "upload not found");
      return;
    }
    switch (names[1]) {
      case "part" -> part(exchange, upload);
      case "complete" -> complete(exchange, names[0], upload);
      case "abort" -> {
        open.remove(names[0]);
        exchange.answer(200, BlaxelFake.object().put("message", "aborted"));
      }
      default -> Agent.refuse(exchange, 404, "not found");
    }
  }

  private static void part(Exchange exchange, Upload upload) throws IOException {
    int number = Integer.parseInt(exchange.query("partNumber").orElse("0"));
    Path place = Files.createTempDirectory("sandbox-fake-upload");
    byte[] content;
    try (MultiPartFormData.Parts parts = exchange.parts(place)) {
      MultiPart.Part file = parts.getFirst("file");
      if (file == null || number < 1) {
        Agent.refuse(exchange, 400, "missing 'file' field in multipart form");
        return;
      }
      try (InputStream in = Content.Source.asInputStream(file.newContentSource(null, 0, -1))) {
        content = in.readAllBytes();
      }
    } finally {
      FileCalls.forget(place);
    }
    upload.parts().put(number, content);
    exchange.answer(
        200,
        BlaxelFake.object()
            .put("partNumber", number)
            .put("etag", etag(content))
            .put("size", content.length));
  }

  private static String etag(byte[] content) {
    try {
      return HexFormat.of().formatHex(MessageDigest.getInstance("MD5").digest(content));
    } catch (NoSuchAlgorithmException e) {
      throw new IllegalStateException(e);
    }
  }

  private void complete(Exchange exchange, String id, Upload upload) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    for (JsonNode each : exchange.json().path("parts")) {
      byte[] content = upload.parts().get(each.path("partNumber").asInt());
      if (content == null || !etag(content).equals(each.path("etag").asText())) {
        Agent.refuse(exchange, 500, "etag mismatch");
        return;
      }
      all.writeBytes(content);
    }
    FileCalls.place(upload.target(), new ByteArrayInputStream(all.toByteArray()), upload.mode());
    open.remove(id);
    FileCalls.done(exchange, upload.target());
  }
}
