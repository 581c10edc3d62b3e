package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.JsonNode;
import io.sandboxspi.remote.transport.Json;
import java.util.HashMap;
import java.util.Map;
import java.util.Set;

/**
 * What the control plane says of a sandbox.
 *
 * @param url where its agent is reached; may be empty
 * @param status as it is written on the wire; a word that is new is no error
 * @param reason why it failed; may be empty
 */
record Description(
    String name, String url, String status, String reason, Map<String, String> labels) {
  private static final Set<String> ENDING = Set.of("TERMINATING", "DELETING");

  static Description of(JsonNode node) {
    JsonNode metadata = node.path("metadata");
    Map<String, String> labels = new HashMap<>();
    metadata
        .path("labels")
        .properties()
        .forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    StringBuilder reason = new StringBuilder();
    for (JsonNode error : node.path("errors")) {
      reason.append(reason.isEmpty() ? "" : "; ").append(error.path("message").asText(""));
    }
    return new Description(
        Json.text("the sandbox", metadata, "name"),
        metadata.path("url").asText(""),
        node.path("status").asText("UNKNOWN"),
        reason.toString(),
        Map.copyOf(labels));
  }

  /** It can be worked in, or will wake by itself. */
  boolean deployed() {
    return status.equals("DEPLOYED");
  }

  boolean failed() {
    return status.equals("FAILED");
  }

  /** Nothing in it runs any more. */
  boolean gone() {
    return status.equals("TERMINATED");
  }

  /** It is being deleted. */
  boolean ending() {
    return ENDING.contains(status);
  }

  /** It is kept, and nothing in it runs. */
  boolean off() {
    return status.equals("DEACTIVATED") || status.equals("DEACTIVATING");
  }
}
