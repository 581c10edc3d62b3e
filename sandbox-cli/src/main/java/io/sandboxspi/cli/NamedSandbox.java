package io.sandboxspi.cli;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import io.sandboxspi.Checkpoint;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.snapshot.Checkpoints;
import java.io.IOException;
import java.io.StringWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * What the command remembers of a sandbox that has a name.
 *
 * @param name its name
 * @param provider the provider's name
 * @param options options of the provider
 * @param store where its workspace is saved
 * @param state how it is
 * @param created when it was created
 * @param checkpoint where it is resumed from, as JSON; empty while it is being made
 */
record NamedSandbox(
    String name,
    String provider,
    Map<String, String> options,
    String store,
    State state,
    Instant created,
    String checkpoint) {
  private static final int VERSION = 1;
  private static final JsonFactory JSON = new JsonFactory();

  /** How a sandbox is. */
  enum State {
    /** Its first start is not over, or was broken off. */
    CREATING,
    /** Its backend is there. */
    LIVE,
    /** Its backend is removed, its snapshots are there. */
    SAVED
  }

  /** Copies the options. */
  NamedSandbox {
    options = Map.copyOf(options);
  }

  NamedSandbox at(State value, Checkpoint where) {
    return new NamedSandbox(
        name, provider, options, store, value, created, Checkpoints.toJson(where));
  }

  /** Where it is resumed from; empty while it is being made. */
  Optional<Checkpoint> where() {
    return checkpoint.isEmpty() ? Optional.empty() : Optional.of(Checkpoints.fromJson(checkpoint));
  }

  /** What its sessions are opened with. */
  SandboxSpec spec(boolean saving) {
    SandboxSpec.Builder spec = SandboxSpec.builder().durable(true);
    options.forEach(spec::option);
    return spec.snapshots(saving ? SnapshotPolicy.in(store) : SnapshotPolicy.none()).build();
  }

  String toJson() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = JSON.createGenerator(text)) {
      json.writeStartObject();
      json.writeNumberField("version", VERSION);
      json.writeStringField("name", name);
      json.writeStringField("provider", provider);
      json.writeObjectFieldStart("options");
      for (Map.Entry<String, String> option : options.entrySet()) {
        json.writeStringField(option.getKey(), option.getValue());
      }
      json.writeEndObject();
      json.writeStringField("store", store);
      json.writeStringField("state", state.name());
      json.writeStringField("created", created.toString());
      json.writeStringField("checkpoint", checkpoint);
      json.writeEndObject();
    } catch (IOException e) {
      throw new IllegalStateException("a text cannot be written in memory", e);
    }
    return text.append('\n').toString();
  }

  /** Reads what {@link #toJson} wrote, also a later version of it with more fields. */
  static NamedSandbox fromJson(String name, String text) {
    Map<String, String> fields = new LinkedHashMap<>();
    Map<String, String> options = new LinkedHashMap<>();
    try (JsonParser json = JSON.createParser(text)) {
      if (json.nextToken() != JsonToken.START_OBJECT) {
        throw unreadable(name, null);
      }
      while (json.nextToken() == JsonToken.FIELD_NAME) {
        String field = json.currentName();
        JsonToken value = json.nextToken();
        if (value == JsonToken.START_OBJECT && field.equals("options")) {
          while (json.nextToken() == JsonToken.FIELD_NAME) {
            options.put(json.currentName(), json.nextTextValue());
          }
        } else if (value.isScalarValue()) {
          fields.put(field, json.getText());
        } else {
          json.skipChildren();
        }
      }
      return new NamedSandbox(
          name,
          field(fields, name, "provider"),
          options,
          field(fields, name, "store"),
          State.valueOf(field(fields, name, "state")),
          Instant.parse(field(fields, name, "created")),
          field(fields, name, "checkpoint"));
    } catch (IOException | IllegalArgumentException | DateTimeException e) {
      throw unreadable(name, e);
    }
  }

  private static String field(Map<String, String> fields, String name, String field) {
    String value = fields.get(field);
    if (value == null) {
      throw unreadable(name, null);
    }
    return value;
  }

  private static CliFailure unreadable(
      String name, @org.jspecify.annotations.Nullable Throwable cause) {
    return CliFailure.sandbox("what is remembered of sandbox " + name + " cannot be read", cause);
  }

  @Override
  public String toString() {
    return "NamedSandbox[" + name + ", " + provider + ", " + state + "]";
  }
}
