package io.sandboxspi.fake;

import java.util.Map;

/** Starts the fake of one vendor. Found by {@link java.util.ServiceLoader}. */
public interface FakeVendor {
  /** The name of the provider that talks to it. */
  String provider();

  /** Starts one. */
  Service start();

  /** A fake that runs. */
  interface Service extends AutoCloseable {
    /** What the provider must find in its environment, or in properties of the JVM. */
    Map<String, String> settings();

    /** Sandboxes that exist, running or not. */
    int sandboxes();

    /** Connections that are open, as far as it counts them. */
    int connections();

    /** Ends it and all it started. */
    @Override
    void close();
  }
}
