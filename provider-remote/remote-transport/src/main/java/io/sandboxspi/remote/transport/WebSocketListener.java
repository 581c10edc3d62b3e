package io.sandboxspi.remote.transport;

import java.nio.ByteBuffer;

/** Told what comes on a WebSocket: one call at a time, on threads that must not be blocked. */
public interface WebSocketListener {
  /**
   * A whole text message.
   *
   * @return whether to go on; otherwise nothing comes before {@link WebSocketLink#resume()}
   */
  boolean onText(String message);

  /**
   * A whole binary message.
   *
   * @param message valid during the call only
   * @return as {@link #onText}
   */
  boolean onBinary(ByteBuffer message);

  /**
   * Nothing more comes; once, unless this side aborted the socket before.
   *
   * @param end how it ended
   */
  void onEnd(WebSocketEnd end);
}
