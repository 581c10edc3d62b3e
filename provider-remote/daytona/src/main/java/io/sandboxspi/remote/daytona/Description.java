package io.sandboxspi.remote.daytona;

import com.fasterxml.jackson.databind.JsonNode;
import io.sandboxspi.remote.transport.Json;
import java.util.HashMap;
import java.util.Map;

/**
 * What the control plane says of a sandbox.
 *
 * @param state as it is written on the wire; a word that is new is no error
 * @param open whether its ports need no token
 * @param toolbox where its daemon is reached, without its id; empty if that is not said
 */
record Description(
    String id,
    String state,
    String reason,
    boolean recoverable,
    int autoStop,
    Map<String, String> labels,
    boolean open,
    String toolbox) {

  /** One that nobody describes: it runs. */
  static Description alone(String id, Map<String, String> labels) {
    return new Description(id, "started", "", false, 0, labels, false, "");
  }

  static Description of(JsonNode node) {
    Map<String, String> labels = new HashMap<>();
    node.path("labels").properties().forEach(e -> labels.put(e.getKey(), e.getValue().asText()));
    return new Description(
        Json.text("the sandbox", node, "id"),
        node.path("state").asText("unknown"),
        node.path("errorReason").asText(""),
        node.path("recoverable").asBoolean(false),
        node.path("autoStopInterval").asInt(0),
        Map.copyOf(labels),
        node.path("public").asBoolean(false),
        node.path("toolboxProxyUrl").asText(""));
  }

  boolean started() {
    return state.equals("started");
  }

  /** It does not exist any more. */
  boolean gone() {
    return state.equals("destroyed");
  }

  boolean failed() {
    return state.equals("error") || state.equals("build_failed");
  }

  /** Nothing runs in it, and what ran is lost. */
  boolean stopped() {
    return state.equals("stopped") || state.equals("archived");
  }

  /** It can be started. */
  boolean asleep() {
    return stopped() || state.equals("paused");
  }
}
