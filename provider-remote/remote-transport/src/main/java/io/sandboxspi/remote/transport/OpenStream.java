package io.sandboxspi.remote.transport;

/** An answer that is still being received. Thread-safe. */
public interface OpenStream extends AutoCloseable {
  /** Goes on after the listener had enough; does nothing otherwise. */
  void resume();

  /** Closes the connection. The listener hears nothing new. Never blocks; idempotent. */
  @Override
  void close();
}
