/**
 * The seam to the operating system: start a process on a terminal or on pipes, talk to it, learn of
 * its end. Knows nothing of sandboxes, workspaces or the SPI; depends on plain JDK types only.
 */
@NullMarked
package io.sandboxspi.local.driver;

import org.jspecify.annotations.NullMarked;
