/**
 * Tools of the kit's tests: sessions, callers, heartbeats, bounds, the audit of what is left.
 *
 * <p>No test and no rule's meaning lives here.
 */
@NullMarked
package io.sandboxspi.tck.kit;

import org.jspecify.annotations.NullMarked;
