/**
 * Sandboxes of Blaxel: its control plane, and the agent in each sandbox.
 *
 * <p>What other vendors need too is in {@code remote.transport} and {@code remote.shell}.
 */
@NullMarked
package io.sandboxspi.remote.blaxel;

import org.jspecify.annotations.NullMarked;
