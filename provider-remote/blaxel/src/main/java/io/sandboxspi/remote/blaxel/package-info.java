/**
 * Sandboxes of Blaxel: its control plane, and the agent in each sandbox.
 *
 * <p>What other vendors need too is in {@code remote.transport} and {@code remote.shell}. The relay
 * is another one than that of {@code remote.relay}: this vendor's terminals carry text, drop some
 * of it without a word, and say some of it twice, so all that passes has a number and is sent
 * again.
 */
@NullMarked
package io.sandboxspi.remote.blaxel;

import org.jspecify.annotations.NullMarked;
