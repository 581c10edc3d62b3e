package io.sandboxspi;

/** A subscription; closing it is idempotent, thread-safe and never blocks. */
@FunctionalInterface
public interface Registration extends AutoCloseable {
  @Override
  void close();
}
