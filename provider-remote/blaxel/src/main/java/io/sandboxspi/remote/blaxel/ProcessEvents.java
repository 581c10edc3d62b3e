package io.sandboxspi.remote.blaxel;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.Json;
import io.sandboxspi.remote.transport.RemoteException;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.remote.transport.StreamListener;
import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;

/**
 * The stream of one command: a line of JSON for each piece of output, lines that only say that the
 * command lives, and its result. Some words of the agent's own come as if they were output.
 */
final class ProcessEvents implements StreamListener {
  private static final Set<String> NO_OUTPUT =
      Set.of(
          "[keepalive]\n",
          "\n[Process is being forcefully killed]\n",
          "\n[Process is being gracefully terminated]\n");
  private static final String CUT = "[... truncated,";
  private static final int LONGEST_LINE = 4 << 20;
  private static final int MOST_OUTPUT = 4 << 20;
  private static final int LONGEST_WORDS = 300;

  private final String what;
  private final ByteArrayOutputStream line = new ByteArrayOutputStream();
  private final StringBuilder output = new StringBuilder();
  private final CompletableFuture<String> result = new CompletableFuture<>();

  /**
   * Of a command.
   *
   * @param what begins every error
   */
  ProcessEvents(String what) {
    this.what = what;
  }

  /** Its standard output, once it has ended, whatever its code is. */
  CompletableFuture<String> result() {
    return result;
  }

  @Override
  public boolean onBytes(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      int end = bytes.position();
      while (end < bytes.limit() && bytes.get(end) != '\n') {
        end++;
      }
      byte[] piece = new byte[end - bytes.position()];
      bytes.get(piece);
      if (line.size() + piece.length > LONGEST_LINE) {
        throw new RemoteException(Kind.TOO_LARGE, what + ": a line of the answer is too long");
      }
      line.writeBytes(piece);
      if (bytes.hasRemaining()) {
        byte unused = bytes.get();
        endOfLine();
      }
    }
    return true;
  }

  private void endOfLine() {
    byte[] bytes = line.toByteArray();
    line.reset();
    if (bytes.length > 0) {
      event(Json.read(what + ": a line of the answer", bytes));
    }
  }

  private void event(JsonNode event) {
    String data = event.path("data").asText("");
    switch (event.path("type").asText("")) {
      case "stdout" -> print(data);
      case "error" -> throw new RemoteException(Kind.CLOSED, what + ": " + words(data));
      case "result" -> end(Json.read(what + ": the result", data.getBytes(StandardCharsets.UTF_8)));
      // An agent that knows no streams waits, and answers once.
      case "" -> end(event);
      default -> {
        // Standard error, a sign of life, or something of a later agent.
      }
    }
  }

  private void print(String data) {
    if (!NO_OUTPUT.contains(data)) {
      if (output.length() + data.length() > MOST_OUTPUT) {
        throw new RemoteException(Kind.TOO_LARGE, what + ": the command prints too much");
      }
      output.append(data);
    }
  }

  /** What the result says is exact, but may be the end of it only. */
  private void end(JsonNode said) {
    if (!(said instanceof ObjectNode) || !said.path("status").isTextual()) {
      throw new RemoteException(Kind.MALFORMED, what + ": the answer is no process");
    }
    String exact = said.path("stdout").asText("");
    boolean unused = result.complete(exact.startsWith(CUT) ? output.toString() : exact);
  }

  static String words(String text) {
    String words = text.replaceAll("\\p{Cntrl}+", " ").strip();
    return words.length() <= LONGEST_WORDS ? words : words.substring(0, LONGEST_WORDS) + "...";
  }

  @Override
  public void onEnd(Optional<RemoteException> failure) {
    RemoteException why =
        failure.orElseGet(
            () -> new RemoteException(Kind.BROKEN, what + ": the answer ended before the command"));
    if (failure.isEmpty()) {
      try {
        // An answer that is one object may have no line break.
        endOfLine();
      } catch (RemoteException e) {
        why = e;
      }
    }
    boolean unused = result.completeExceptionally(why);
  }
}
