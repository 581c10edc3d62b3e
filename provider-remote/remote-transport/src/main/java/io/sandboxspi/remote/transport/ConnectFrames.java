package io.sandboxspi.remote.transport;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.nio.ByteBuffer;
import java.util.Optional;

/**
 * Envelopes of the Connect protocol, with JSON in them, cut anywhere. An end without the last
 * envelope is a broken connection. The listener's calls follow the rules of {@link StreamListener}.
 */
public final class ConnectFrames implements StreamListener {
  /** The content type of such a stream. */
  public static final String CONTENT_TYPE = "application/connect+json";

  private static final int HEAD = 5;
  private static final int COMPRESSED = 1;
  private static final int LAST = 2;

  private final String what;
  private final int limit;
  private final Listener listener;
  private final ByteBuffer head = ByteBuffer.allocate(HEAD);
  private ByteBuffer payload = ByteBuffer.allocate(0);
  private boolean inPayload;
  private boolean over;

  /** Told what comes. */
  public interface Listener {
    /**
     * A message.
     *
     * @return whether to go on, as {@link StreamListener#onBytes}
     */
    boolean onMessage(ObjectNode message);

    /** Nothing more comes; a refusal has the Connect code as its {@link RemoteException#code()}. */
    void onEnd(Optional<RemoteException> failure);
  }

  /**
   * For one stream.
   *
   * @param what names it in errors
   * @param limit longest payload in bytes
   */
  public ConnectFrames(String what, int limit, Listener listener) {
    this.what = what;
    this.limit = limit;
    this.listener = listener;
  }

  /** One envelope with this message. */
  public static byte[] envelope(JsonNode message) {
    byte[] json = Json.bytes(message);
    return ByteBuffer.allocate(HEAD + json.length)
        .put((byte) 0)
        .putInt(json.length)
        .put(json)
        .array();
  }

  @Override
  public boolean onBytes(ByteBuffer bytes) {
    while (bytes.hasRemaining()) {
      if (over) {
        bytes.position(bytes.limit());
        return true;
      }
      if (!inPayload) {
        move(bytes, head);
        if (!head.hasRemaining()) {
          begin();
        }
      }
      if (inPayload) {
        move(bytes, payload);
        if (!payload.hasRemaining() && !complete()) {
          return false;
        }
      }
    }
    return true;
  }

  private static void move(ByteBuffer from, ByteBuffer to) {
    int n = Math.min(from.remaining(), to.remaining());
    to.put(from.duplicate().limit(from.position() + n));
    from.position(from.position() + n);
  }

  private void begin() {
    int flags = head.get(0);
    int length = head.getInt(1);
    if ((flags & COMPRESSED) != 0 || (flags & ~LAST) != 0) {
      throw new RemoteException(Kind.MALFORMED, what + ": a frame has unknown flags");
    }
    if (length < 0 || length > limit) {
      throw new RemoteException(
          Kind.TOO_LARGE, what + ": a frame is longer than " + limit + " bytes");
    }
    payload = ByteBuffer.allocate(length);
    inPayload = true;
  }

  private boolean complete() {
    boolean last = (head.get(0) & LAST) != 0;
    byte[] bytes = payload.array();
    head.clear();
    inPayload = false;
    payload = ByteBuffer.allocate(0);
    ObjectNode message =
        Json.parse(bytes)
            .orElseThrow(
                () -> new RemoteException(Kind.MALFORMED, what + ": a frame is no object of JSON"));
    if (!last) {
      return listener.onMessage(message);
    }
    over = true;
    JsonNode error = message.path("error");
    listener.onEnd(error.isObject() ? Optional.of(refusal(error)) : Optional.empty());
    return true;
  }

  private RemoteException refusal(JsonNode error) {
    String code = error.path("code").asText("unknown");
    String message = new ErrorBody(code, error.path("message").asText("")).shortMessage();
    return RemoteException.refused(
        ConnectCode.status(code), code, "", Optional.empty(), what + ": " + code + ": " + message);
  }

  @Override
  public void onEnd(Optional<RemoteException> failure) {
    if (!over) {
      over = true;
      listener.onEnd(
          Optional.of(
              failure.orElseGet(
                  () ->
                      new RemoteException(
                          Kind.BROKEN, what + ": the stream ended without its last frame"))));
    }
  }
}
