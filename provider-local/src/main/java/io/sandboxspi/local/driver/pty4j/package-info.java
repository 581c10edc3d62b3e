/**
 * The portable driver: pty4j for terminals, the JDK for pipes. Everything that those do otherwise
 * than the seam says is hidden in here.
 */
@NullMarked
package io.sandboxspi.local.driver.pty4j;

import org.jspecify.annotations.NullMarked;
