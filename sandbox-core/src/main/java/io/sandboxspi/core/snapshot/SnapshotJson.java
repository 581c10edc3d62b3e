package io.sandboxspi.core.snapshot;

import io.sandboxspi.Snapshot;
import io.sandboxspi.core.snapshot.JsonObject.MalformedException;
import java.util.Locale;

/** A snapshot's facts as JSON. */
final class SnapshotJson {
  private SnapshotJson() {}

  static JsonObject of(Snapshot snapshot) {
    return new JsonObject()
        .put("store", snapshot.store())
        .put("lineage", snapshot.lineage())
        .put("sequence", snapshot.sequence())
        .put("kind", snapshot.kind().name().toLowerCase(Locale.ROOT))
        .put("fingerprint", snapshot.fingerprint())
        .put("size", snapshot.size())
        .put("created", snapshot.created().toString())
        .put("data", snapshot.data());
  }

  static Snapshot read(JsonObject json) throws MalformedException {
    return new Snapshot(
        json.text("store"),
        json.text("lineage"),
        json.number("sequence"),
        kind(json.text("kind")),
        json.text("fingerprint"),
        json.number("size"),
        json.instant("created"),
        json.texts("data"));
  }

  private static Snapshot.Kind kind(String name) throws MalformedException {
    for (Snapshot.Kind kind : Snapshot.Kind.values()) {
      if (kind.name().toLowerCase(Locale.ROOT).equals(name)) {
        return kind;
      }
    }
    throw new MalformedException("the field kind names no kind of snapshot");
  }
}
