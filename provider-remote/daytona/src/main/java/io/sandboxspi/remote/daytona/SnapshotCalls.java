package io.sandboxspi.remote.daytona;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.HttpCall;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.Repeat;
import io.sandboxspi.spi.Deadline;
import java.util.Optional;

/** The control plane's calls for snapshots. Thread-safe. */
final class SnapshotCalls {
  private final Wire wire;

  SnapshotCalls(Wire wire) {
    this.wire = wire;
  }

  /**
   * One that the vendor lists.
   *
   * @param state as it is written on the wire; a word that is new is no error
   * @param why a text for the end of a message
   */
  record Taken(String id, String state, String why) {
    boolean active() {
      return state.equals("active");
    }

    boolean failed() {
      return state.equals("error") || state.equals("build_failed") || state.equals("removing");
    }
  }

  /** Begins one of the disk of a sandbox, once. */
  void begin(String sandbox, String name, Deadline deadline) throws InterruptedException {
    HttpCall call =
        wire.api(
                "taking a snapshot of the sandbox",
                "POST",
                "/sandbox/" + HttpCall.encode(sandbox) + "/snapshot")
            .json(Json.object().put("name", name).put("includeMemory", false))
            .repeat(Repeat.REFUSED);
    Object unused = wire.transport().call(call, deadline);
  }

  /** Empty while there is none of this name. */
  Optional<Taken> find(String name, Deadline deadline) throws InterruptedException {
    HttpCall call = wire.api("asking for a snapshot", "GET", path(name));
    try {
      ObjectNode said = wire.transport().call(call, deadline).object();
      String why = said.path("errorReason").asText("");
      return Optional.of(
          new Taken(
              Json.text("the snapshot", said, "id"),
              said.path("state").asText("unknown"),
              why.isEmpty() ? "" : ": " + why));
    } catch (RemoteException e) {
      if (e.said(404)) {
        return Optional.empty();
      }
      throw e;
    }
  }

  /** Begins the removal of one by its name; one that is gone is fine. */
  void delete(String name, Deadline deadline) throws InterruptedException {
    Optional<Taken> found = find(name, deadline);
    if (found.isPresent()) {
      HttpCall call =
          wire.api("deleting a snapshot", "DELETE", path(found.get().id())).repeat(Repeat.ALWAYS);
      try {
        Object unused = wire.transport().call(call, deadline);
      } catch (RemoteException e) {
        if (!e.said(404)) {
          throw e;
        }
      }
    }
  }

  private static String path(String which) {
    return "/snapshots/" + HttpCall.encode(which);
  }
}
