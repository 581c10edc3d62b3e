package io.sandboxspi.core.snapshot;

import com.fasterxml.jackson.core.JsonFactory;
import com.fasterxml.jackson.core.JsonGenerator;
import com.fasterxml.jackson.core.JsonParser;
import com.fasterxml.jackson.core.JsonToken;
import com.fasterxml.jackson.core.StreamReadFeature;
import java.io.IOException;
import java.io.StringWriter;
import java.time.DateTimeException;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * A JSON object of texts, whole numbers, truth values and objects of the same kind. Arrays,
 * fractions and nulls are passed over when it is read: a later version may use them.
 */
final class JsonObject {
  private static final JsonFactory FACTORY =
      JsonFactory.builder().enable(StreamReadFeature.STRICT_DUPLICATE_DETECTION).build();

  private final Map<String, Object> fields = new LinkedHashMap<>();

  /** What is wrong with a text; never shows the text. */
  static final class MalformedException extends Exception {
    private static final long serialVersionUID = 1L;

    MalformedException(String message, Throwable cause) {
      super(message, cause);
    }

    MalformedException(String message) {
      super(message);
    }
  }

  JsonObject put(String name, String value) {
    fields.put(name, value);
    return this;
  }

  JsonObject put(String name, long value) {
    fields.put(name, value);
    return this;
  }

  JsonObject put(String name, boolean value) {
    fields.put(name, value);
    return this;
  }

  JsonObject put(String name, JsonObject value) {
    fields.put(name, value);
    return this;
  }

  JsonObject put(String name, Map<String, String> value) {
    JsonObject object = new JsonObject();
    value.entrySet().stream()
        .sorted(Map.Entry.comparingByKey())
        .forEach(entry -> object.put(entry.getKey(), entry.getValue()));
    return put(name, object);
  }

  String text(String name) throws MalformedException {
    return find(name, String.class).orElseThrow(() -> missing(name, "a text"));
  }

  long number(String name) throws MalformedException {
    return find(name, Long.class).orElseThrow(() -> missing(name, "a whole number"));
  }

  boolean truth(String name, boolean otherwise) {
    return find(name, Boolean.class).orElse(otherwise);
  }

  Optional<JsonObject> object(String name) {
    return find(name, JsonObject.class);
  }

  Instant instant(String name) throws MalformedException {
    try {
      return Instant.parse(text(name));
    } catch (DateTimeException e) {
      throw new MalformedException("the field " + name + " is no time", e);
    }
  }

  /** The texts of an object. */
  Map<String, String> texts(String name) throws MalformedException {
    JsonObject object = object(name).orElseThrow(() -> missing(name, "an object"));
    Map<String, String> texts = new LinkedHashMap<>();
    object.fields.forEach(
        (key, value) -> {
          if (value instanceof String text) {
            texts.put(key, text);
          }
        });
    return texts;
  }

  private static MalformedException missing(String name, String what) {
    return new MalformedException("the field " + name + " is not " + what);
  }

  private <T> Optional<T> find(String name, Class<T> type) {
    Object value = fields.get(name);
    return type.isInstance(value) ? Optional.of(type.cast(value)) : Optional.empty();
  }

  /** One object and nothing else. */
  static JsonObject parse(String text) throws MalformedException {
    try (JsonParser parser = FACTORY.createParser(text)) {
      if (parser.nextToken() != JsonToken.START_OBJECT) {
        throw new MalformedException("it is no JSON object");
      }
      JsonObject object = read(parser);
      if (parser.nextToken() != null) {
        throw new MalformedException("something follows the JSON object");
      }
      return object;
    } catch (IOException e) {
      // The parser's message and location may quote the text.
      throw new MalformedException("it is no JSON", new IOException(e.getClass().getSimpleName()));
    }
  }

  private static JsonObject read(JsonParser parser) throws IOException {
    JsonObject object = new JsonObject();
    while (parser.nextToken() == JsonToken.FIELD_NAME) {
      String name = parser.currentName();
      switch (parser.nextToken()) {
        case START_OBJECT -> object.put(name, read(parser));
        case VALUE_STRING -> object.put(name, parser.getText());
        case VALUE_NUMBER_INT -> object.put(name, parser.getLongValue());
        case VALUE_TRUE -> object.put(name, true);
        case VALUE_FALSE -> object.put(name, false);
        default -> parser.skipChildren();
      }
    }
    return object;
  }

  @Override
  public String toString() {
    StringWriter text = new StringWriter();
    try (JsonGenerator json = FACTORY.createGenerator(text)) {
      write(json);
    } catch (IOException e) {
      throw new IllegalStateException("a text cannot be written in memory", e);
    }
    return text.toString();
  }

  private void write(JsonGenerator json) throws IOException {
    json.writeStartObject();
    for (Map.Entry<String, Object> field : fields.entrySet()) {
      json.writeFieldName(field.getKey());
      if (field.getValue() instanceof JsonObject object) {
        object.write(json);
      } else if (field.getValue() instanceof Long number) {
        json.writeNumber(number);
      } else if (field.getValue() instanceof Boolean truth) {
        json.writeBoolean(truth);
      } else {
        json.writeString((String) field.getValue());
      }
    }
    json.writeEndObject();
  }
}
