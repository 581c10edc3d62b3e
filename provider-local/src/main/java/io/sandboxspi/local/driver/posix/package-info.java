/**
 * What the drivers share: descriptors that are never closed under a user, the thread that waits for
 * them, the process handle, starting on pipes. Everything here is plain POSIX; what differs between
 * systems is in {@code Os}. Public for the drivers only.
 */
@NullMarked
package io.sandboxspi.local.driver.posix;

import org.jspecify.annotations.NullMarked;
