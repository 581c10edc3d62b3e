package io.sandboxspi.core.snapshot;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.Operation;
import io.sandboxspi.Retryable;
import io.sandboxspi.SandboxException;
import io.sandboxspi.Snapshot;
import io.sandboxspi.core.snapshot.JsonObject.MalformedException;
import io.sandboxspi.spi.BackendRef;
import java.util.Optional;

/**
 * Checkpoints as JSON (spec S-RESUME-05). The version has two numbers. A higher minor version adds
 * fields, which an older reader passes over; a higher major version is refused. Thread-safe.
 */
public final class Checkpoints {
  private static final String FORMAT = "sandbox-checkpoint";
  private static final long MAJOR = 1;
  private static final long MINOR = 0;

  private Checkpoints() {}

  /** The checkpoint as one line of JSON. */
  public static String toJson(Checkpoint checkpoint) {
    JsonObject json =
        new JsonObject()
            .put("format", FORMAT)
            .put("major", MAJOR)
            .put("minor", MINOR)
            .put("definitive", true)
            .put("provider", checkpoint.provider())
            .put("lineage", checkpoint.lineage())
            .put("oldest", checkpoint.oldest());
    checkpoint
        .backend()
        .ifPresent(
            ref ->
                json.put(
                    "backend",
                    new JsonObject().put("provider", ref.provider()).put("data", ref.data())));
    checkpoint.snapshot().ifPresent(snapshot -> json.put("snapshot", SnapshotJson.of(snapshot)));
    return json.toString();
  }

  /**
   * Reads a checkpoint.
   *
   * @throws SandboxException {@link ErrorCode#CHECKPOINT_TOO_NEW} for a newer major version, {@link
   *     ErrorCode#CHECKPOINT_PENDING} for one that says that it is not definitive, {@link
   *     ErrorCode#CHECKPOINT_MALFORMED}
   */
  public static Checkpoint fromJson(String text) {
    try {
      JsonObject json = JsonObject.parse(text);
      if (!json.text("format").equals(FORMAT)) {
        throw new MalformedException("the field format is not " + FORMAT);
      }
      long major = json.number("major");
      if (major > MAJOR) {
        throw SandboxException.builder(
                ErrorCode.CHECKPOINT_TOO_NEW,
                Operation.CHECKPOINT,
                "the checkpoint has version " + major + "; this reads up to " + MAJOR)
            .context("major", major)
            .build();
      }
      if (!json.truth("definitive", false)) {
        throw SandboxException.builder(
                ErrorCode.CHECKPOINT_PENDING,
                Operation.CHECKPOINT,
                "the checkpoint was written before it was definitive")
            .retryable(Retryable.NO)
            .build();
      }
      return read(json);
    } catch (MalformedException e) {
      throw malformed(e);
    }
  }

  private static Checkpoint read(JsonObject json) throws MalformedException {
    long oldest = json.number("oldest");
    if (oldest < 0) {
      throw new MalformedException("the field oldest is below zero");
    }
    Checkpoint checkpoint = Checkpoint.of(json.text("provider"), json.text("lineage"), oldest);
    Optional<JsonObject> backend = json.object("backend");
    if (backend.isPresent()) {
      checkpoint =
          checkpoint.backend(
              new BackendRef(backend.get().text("provider"), backend.get().texts("data")));
    }
    Optional<JsonObject> snapshot = json.object("snapshot");
    if (snapshot.isPresent()) {
      Snapshot read = SnapshotJson.read(snapshot.get());
      checkpoint = checkpoint.snapshot(read);
    }
    return checkpoint;
  }

  private static SandboxException malformed(MalformedException cause) {
    return SandboxException.builder(
            ErrorCode.CHECKPOINT_MALFORMED,
            Operation.CHECKPOINT,
            "the text is no checkpoint: " + cause.getMessage())
        .cause(cause)
        .build();
  }
}
