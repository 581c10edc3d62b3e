/**
 * The driver for Linux with glibc on 64-bit machines: posix_spawn, one epoll thread, pidfds, all by
 * direct-mapped JNA. Native calls and native memory stay in here; no call blocks but the reactor's
 * wait.
 */
@NullMarked
package io.sandboxspi.local.driver.linux;

import org.jspecify.annotations.NullMarked;
