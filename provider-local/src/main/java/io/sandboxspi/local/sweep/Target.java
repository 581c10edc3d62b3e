package io.sandboxspi.local.sweep;

import io.sandboxspi.local.driver.DriverProcess;
import java.util.Optional;

/**
 * A tree to end.
 *
 * @param cookie the value of {@link ProcessSweep#VARIABLE} in its environment
 * @param leader its first process, if its start has returned
 */
public record Target(String cookie, Optional<DriverProcess> leader) {}
