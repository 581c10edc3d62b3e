/**
 * Clocks, waits and lanes: the only place of the engine where a thread is made or a caller blocks.
 *
 * <p>Nothing here knows of processes or sessions.
 */
@NullMarked
package io.sandboxspi.core.time;

import org.jspecify.annotations.NullMarked;
