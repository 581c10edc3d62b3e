package io.sandboxspi.local.driver;

/** Starts processes. Thread-safe. */
public interface PtyDriver extends AutoCloseable {
  /** The name it is chosen by. */
  String name();

  /**
   * Starts a process in a session of its own, with default signal dispositions, an empty signal
   * mask and no descriptors but its three streams. On a terminal the size is set before it runs.
   *
   * @throws SpawnException when it did not start; nothing is left then
   * @throws IllegalStateException after {@link #close()}
   */
  DriverProcess spawn(SpawnRequest request, DriverListener listener) throws SpawnException;

  /**
   * Refuses further starts; its threads end once every process has been released and reaped. Kills
   * nothing. Idempotent; does not wait.
   */
  @Override
  void close();
}
