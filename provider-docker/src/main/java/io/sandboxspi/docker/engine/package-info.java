/**
 * The road to a Docker engine: where it is, one connection for each call, a deadline on each of
 * them, hijacked connections. Knows nothing of sandboxes and the SPI but its deadlines.
 */
@NullMarked
package io.sandboxspi.docker.engine;

import org.jspecify.annotations.NullMarked;
