package io.sandboxspi.remote.e2b;

import com.fasterxml.jackson.databind.JsonNode;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.HttpReply;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.spi.Deadline;
import java.util.Optional;

/** The control plane's calls for snapshots. Thread-safe. */
final class SnapshotCalls {
  private final ControlPlane controlPlane;

  SnapshotCalls(ControlPlane controlPlane) {
    this.controlPlane = controlPlane;
  }

  /** Takes one, once; its id, by which a sandbox can be made. */
  String take(String sandbox, String name, Deadline deadline) throws InterruptedException {
    HttpCall call =
        controlPlane
            .call("taking a snapshot", "POST", "/sandboxes/" + sandbox + "/snapshots")
            .json(Json.object().put("name", name))
            .repeat(Repeat.REFUSED);
    return Json.text(
        "the snapshot", controlPlane.transport().call(call, deadline).object(), "snapshotID");
  }

  /** The id of one of this sandbox, by its name. */
  Optional<String> find(String sandbox, String name, Deadline deadline)
      throws InterruptedException {
    Optional<String> next = Optional.empty();
    do {
      String path =
          "/snapshots?limit=100&sandboxID="
              + sandbox
              + next.map(token -> "&nextToken=" + HttpCall.encode(token)).orElse("");
      HttpReply reply =
          controlPlane
              .transport()
              .call(controlPlane.call("listing snapshots", "GET", path), deadline);
      for (JsonNode each : reply.json()) {
        for (JsonNode known : each.path("names")) {
          // With the team's name before it and a tag behind.
          if (known.asText("").matches("(.*/)?" + name + "(:.*)?")) {
            return Optional.of(Json.text("the list", each, "snapshotID"));
          }
        }
      }
      next = reply.header("X-Next-Token").filter(token -> !token.isEmpty());
    } while (next.isPresent());
    return Optional.empty();
  }

  /** One that is gone is fine. */
  void delete(String id, Deadline deadline) throws InterruptedException {
    HttpCall call =
        controlPlane
            .call("deleting a snapshot", "DELETE", "/templates/" + HttpCall.encode(id))
            .repeat(Repeat.ALWAYS);
    try {
      HttpReply unused = controlPlane.transport().call(call, deadline);
    } catch (RemoteException e) {
      if (!e.said(404)) {
        throw e;
      }
    }
  }
}
