/**
 * The cleanup helper that ends every process, and the registry of PTYs.
 *
 * <p>Both are pure engine: they know entries and functions, no provider and no session.
 */
@NullMarked
package io.sandboxspi.core.pty;

import org.jspecify.annotations.NullMarked;
