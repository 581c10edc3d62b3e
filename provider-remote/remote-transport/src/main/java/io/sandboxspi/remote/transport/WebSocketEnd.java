package io.sandboxspi.remote.transport;

/** How a WebSocket ended. */
public sealed interface WebSocketEnd {
  /**
   * The peer closed it, or answered a close.
   *
   * @param code 1005 for none given, 1006 when the connection ended without a word
   * @param reason what the peer said; may hold anything
   */
  record Closed(int code, String reason) implements WebSocketEnd {
    /** The code only. */
    @Override
    public String toString() {
      return "Closed[code=" + code + "]";
    }
  }

  /** It failed. */
  record Failed(RemoteException failure) implements WebSocketEnd {}
}
