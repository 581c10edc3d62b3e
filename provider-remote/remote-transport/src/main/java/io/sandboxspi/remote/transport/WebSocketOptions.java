package io.sandboxspi.remote.transport;

import java.time.Duration;
import java.util.List;

/**
 * How a WebSocket is kept.
 *
 * @param subprotocols asked for, in this order
 * @param ping how often the peer is asked whether it lives
 * @param idle longest time without any frame, answers to pings included
 * @param limit longest message in bytes or characters; a longer one ends the socket
 */
public record WebSocketOptions(List<String> subprotocols, Duration ping, Duration idle, int limit) {
  /** No subprotocol, a ping every 20 s, 60 s of silence, messages of 4 MiB. */
  public static final WebSocketOptions DEFAULT =
      new WebSocketOptions(List.of(), Duration.ofSeconds(20), Duration.ofSeconds(60), 4 << 20);

  /** Copies the list. */
  public WebSocketOptions {
    subprotocols = List.copyOf(subprotocols);
  }

  /** With subprotocols. */
  public WebSocketOptions subprotocols(List<String> value) {
    return new WebSocketOptions(value, ping, idle, limit);
  }

  /** With other times. */
  public WebSocketOptions watch(Duration newPing, Duration newIdle) {
    return new WebSocketOptions(subprotocols, newPing, newIdle, limit);
  }

  /** With another limit. */
  public WebSocketOptions limit(int value) {
    return new WebSocketOptions(subprotocols, ping, idle, value);
  }
}
