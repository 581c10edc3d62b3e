/**
 * A small honest provider of real processes, the ground that saboteurs stand on.
 *
 * <p>Test code: Linux only, no terminals.
 */
@NullMarked
package io.sandboxspi.tck.plain;

import org.jspecify.annotations.NullMarked;
