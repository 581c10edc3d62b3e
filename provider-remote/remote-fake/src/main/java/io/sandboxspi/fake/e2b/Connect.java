package io.sandboxspi.fake.e2b;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import java.io.DataInputStream;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** The Connect protocol, as a server writes it. */
final class Connect {
  static final int END = 2;

  private static final Map<String, Integer> STATUS =
      Map.of(
          "not_found", 404,
          "invalid_argument", 400,
          "already_exists", 409,
          "internal", 500,
          "unauthenticated", 401,
          "unimplemented", 501,
          "unknown", 500);

  private Connect() {}

  static byte[] frame(int flags, ObjectNode message) {
    byte[] json = message.toString().getBytes(StandardCharsets.UTF_8);
    return ByteBuffer.allocate(5 + json.length)
        .put((byte) flags)
        .putInt(json.length)
        .put(json)
        .array();
  }

  /** The one message of a request that is streamed. */
  static ObjectNode request(Exchange exchange) throws IOException {
    DataInputStream in = new DataInputStream(exchange.body());
    int flags = in.readUnsignedByte();
    byte[] json = in.readNBytes(in.readInt());
    if (flags == 0 && Exchange.JSON.readTree(json) instanceof ObjectNode object) {
      return object;
    }
    throw new IOException("not one message");
  }

  static void refuse(Exchange exchange, String code, String message) {
    exchange.answer(
        STATUS.getOrDefault(code, 500),
        Exchange.JSON.createObjectNode().put("code", code).put("message", message));
  }

  /** A stream that fails has status 200. */
  static void refuseStream(Exchange exchange, String code, String message) {
    exchange.answer(200, "application/connect+json", frame(END, error(code, message)));
  }

  static ObjectNode error(String code, String message) {
    ObjectNode end = Exchange.JSON.createObjectNode();
    end.putObject("error").put("code", code).put("message", message);
    return end;
  }
}
