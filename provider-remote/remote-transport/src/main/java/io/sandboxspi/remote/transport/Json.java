package io.sandboxspi.remote.transport;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.core.StreamReadConstraints;
import com.fasterxml.jackson.core.StreamReadFeature;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.io.IOException;
import java.util.Optional;

/** JSON in and out. Errors never show the text that was read. */
public final class Json {
  /** Reads and writes; without source text in its errors. */
  public static final ObjectMapper MAPPER =
      new ObjectMapper(
          JsonFactory.builder()
              .disable(StreamReadFeature.INCLUDE_SOURCE_IN_LOCATION)
              .streamReadConstraints(
                  StreamReadConstraints.builder()
                      .maxNestingDepth(200)
                      .maxStringLength(64 << 20)
                      .build())
              .build());

  private Json() {}

  /** A new object. */
  public static ObjectNode object() {
    return MAPPER.createObjectNode();
  }

  /** The bytes of a value. */
  public static byte[] bytes(JsonNode value) {
    try {
      return MAPPER.writeValueAsBytes(value);
    } catch (JsonProcessingException e) {
      throw new IllegalStateException("a tree can always be written", e);
    }
  }

  /** Reads an object; empty when it is none. */
  public static Optional<ObjectNode> parse(byte[] bytes) {
    try {
      return MAPPER.readTree(bytes) instanceof ObjectNode object
          ? Optional.of(object)
          : Optional.empty();
    } catch (IOException notJson) {
      return Optional.empty();
    }
  }

  /**
   * Reads any value.
   *
   * @param what names it in the error
   */
  public static JsonNode read(String what, byte[] bytes) {
    try {
      JsonNode node = MAPPER.readTree(bytes);
      if (!node.isMissingNode()) {
        return node;
      }
    } catch (IOException notJson) {
      throw new RemoteException(Kind.MALFORMED, what + " is not JSON" + looks(bytes));
    }
    throw new RemoteException(Kind.MALFORMED, what + " is empty, not JSON");
  }

  /** A text field that must be there and not empty. */
  public static String text(String what, JsonNode node, String field) {
    String value = node.path(field).asText("");
    if (value.isEmpty()) {
      throw new RemoteException(Kind.MALFORMED, what + " has no " + field);
    }
    return value;
  }

  static String looks(byte[] bytes) {
    for (byte each : bytes) {
      if (each > ' ') {
        return each == '<' ? " but looks like HTML: does a proxy answer?" : "";
      }
    }
    return "";
  }
}
