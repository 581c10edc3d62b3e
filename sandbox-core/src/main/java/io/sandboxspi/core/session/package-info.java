/**
 * A session: launches, commands, PTYs, files, events and its ordered end.
 *
 * <p>Everything that ends a process goes through the cleanup helper; nothing here blocks but in a
 * {@link io.sandboxspi.core.time.Caller}.
 */
@NullMarked
package io.sandboxspi.core.session;

import org.jspecify.annotations.NullMarked;
