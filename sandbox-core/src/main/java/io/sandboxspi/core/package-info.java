/**
 * The engine's front door: finding providers and opening sessions.
 *
 * <p>No session logic lives here.
 */
@NullMarked
package io.sandboxspi.core;

import org.jspecify.annotations.NullMarked;
