package io.sandboxspi.remote.transport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * A whole answer with a status from 200 to 299. {@code toString} shows the status only.
 *
 * @param status of HTTP
 * @param headers names in lower case
 * @param body all of it
 * @param what names the call in errors
 */
public record HttpReply(int status, Map<String, List<String>> headers, byte[] body, String what) {

  /** The first value of a header. */
  public Optional<String> header(String name) {
    return headers.getOrDefault(name.toLowerCase(java.util.Locale.ROOT), List.of()).stream()
        .findFirst();
  }

  /** The body as any value of JSON. */
  public JsonNode json() {
    return Json.read(what + ": the answer", body);
  }

  /** The body as an object of JSON. */
  public ObjectNode object() {
    if (json() instanceof ObjectNode object) {
      return object;
    }
    throw new RemoteException(Kind.MALFORMED, what + ": the answer is no object of JSON");
  }

  @Override
  public String toString() {
    return "HttpReply[status=" + status + "]";
  }
}
