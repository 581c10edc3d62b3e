package io.sandboxspi.local.sweep;

import io.sandboxspi.local.driver.DriverProcess;
import java.util.Optional;

/**
 * A tree to end.
 *
 * @param cookie the value of {@link ProcessSweep#VARIABLE} in its environment
 * @param leader its first process, if its start has returned
 * @param startedAt a time before its start, by {@link System#nanoTime()}; of no use without leader
 */
public record Target(String cookie, Optional<DriverProcess> leader, long startedAt) {
  /** A tree of which only the cookie is known. */
  public static Target unknown(String cookie) {
    return new Target(cookie, Optional.empty(), 0);
  }
}
