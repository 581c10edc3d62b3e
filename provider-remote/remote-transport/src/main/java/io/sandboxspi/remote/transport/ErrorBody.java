package io.sandboxspi.remote.transport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * What a vendor says in the body of a refusal.
 *
 * @param code its own code; empty without one
 * @param message one sentence; empty without one
 */
public record ErrorBody(String code, String message) {
  private static final int LONGEST = 300;

  /** Reads the body of a refusal; never fails. */
  @FunctionalInterface
  public interface Reader {
    /** Of a body that is an object of JSON. */
    ErrorBody read(ObjectNode body);
  }

  /** {@code error_code} or {@code code}, and {@code message} or {@code error}. */
  public static ErrorBody common(ObjectNode body) {
    JsonNode code =
        body.path("error_code").isTextual() ? body.path("error_code") : body.path("code");
    JsonNode message = body.path("message").isTextual() ? body.path("message") : body.path("error");
    if (message.isObject()) {
      return new ErrorBody(code.asText(""), message.path("message").asText(""));
    }
    return new ErrorBody(code.asText(""), message.asText(""));
  }

  /** Cut, and on one line. */
  String shortMessage() {
    String line = message.replaceAll("\\p{Cntrl}+", " ").strip();
    return line.length() <= LONGEST ? line : line.substring(0, LONGEST) + "…";
  }
}
