package io.sandboxspi.remote.cloudflare;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.io.ByteArrayOutputStream;
import java.nio.charset.StandardCharsets;
import java.util.Base64;

/** The events of one command, read from the whole answer. */
final class Events {
  private final String what;
  private final ByteArrayOutputStream stdout = new ByteArrayOutputStream();
  private final ByteArrayOutputStream stderr = new ByteArrayOutputStream();
  private int exitCode = -1;

  private Events(String what) {
    this.what = what;
  }

  /**
   * Reads an answer.
   *
   * @param what begins every error
   * @throws RemoteException for one that says an error, is none, or ends before the command's end
   */
  static Events read(String what, byte[] body) {
    Events events = new Events(what);
    String name = "";
    StringBuilder data = new StringBuilder();
    boolean any = false;
    // Lines end in CR, LF or both; an empty one ends an event.
    for (String line : new String(body, StandardCharsets.UTF_8).split("\r\n|\r|\n", -1)) {
      if (line.isEmpty()) {
        if (!name.isEmpty()) {
          events.event(name, data.toString());
          any = true;
        }
        name = "";
        data.setLength(0);
      } else if (line.startsWith("event:")) {
        name = value(line, "event:");
      } else if (line.startsWith("data:")) {
        data.append(data.length() == 0 ? "" : "\n").append(value(line, "data:"));
      }
    }
    if (!any) {
      throw events.noEvents(body);
    }
    if (events.exitCode < 0) {
      throw new RemoteException(Kind.BROKEN, what + ": the answer ended before the command");
    }
    return events;
  }

  private static String value(String line, String field) {
    String value = line.substring(field.length());
    return value.startsWith(" ") ? value.substring(1) : value;
  }

  private void event(String name, String data) {
    switch (name) {
      case "stdout" -> stdout.writeBytes(decoded(data));
      case "stderr" -> stderr.writeBytes(decoded(data));
      case "exit" -> exitCode = object(data).path("exit_code").asInt(-1);
      case "error" -> throw error(object(data));
      default -> {
        // A later bridge may say more.
      }
    }
  }

  private byte[] decoded(String data) {
    try {
      return Base64.getDecoder().decode(data);
    } catch (IllegalArgumentException e) {
      throw new RemoteException(Kind.MALFORMED, what + ": output is not in base64");
    }
  }

  private ObjectNode object(String data) {
    return Json.parse(data.getBytes(StandardCharsets.UTF_8))
        .orElseThrow(
            () -> new RemoteException(Kind.MALFORMED, what + ": an event is no object of JSON"));
  }

  private RemoteException error(ObjectNode said) {
    return new RemoteException(
        Kind.BROKEN,
        what
            + " failed in the sandbox ("
            + said.path("code").asText("no code")
            + "): "
            + line(said.path("error").asText("")));
  }

  /** What looks like no stream of events. */
  private RemoteException noEvents(byte[] body) {
    if (body.length == 0) {
      return new RemoteException(Kind.BROKEN, what + ": the answer is empty");
    }
    ObjectNode plain = Json.parse(body).orElse(null);
    if (plain != null && plain.path("error").isTextual()) {
      return error(plain);
    }
    boolean page = new String(body, StandardCharsets.UTF_8).stripLeading().startsWith("<");
    return new RemoteException(
        Kind.MALFORMED,
        what + ": the answer holds no events" + (page ? " but looks like HTML" : ""));
  }

  private static String line(String text) {
    String line = text.replaceAll("\\p{Cntrl}+", " ").strip();
    return line.length() <= 300 ? line : line.substring(0, 300) + "…";
  }

  /** Standard output, as text: the bridge replaces what is none. */
  String stdout() {
    return stdout.toString(StandardCharsets.UTF_8);
  }

  /** Standard error on one line. */
  String words() {
    return line(stderr.toString(StandardCharsets.UTF_8));
  }

  /** As the bridge says it; 0 may be made up. */
  int exitCode() {
    return exitCode;
  }
}
