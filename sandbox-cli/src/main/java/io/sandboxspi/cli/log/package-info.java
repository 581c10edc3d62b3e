/**
 * Log lines of the command: one line each on standard error, warnings and errors only unless
 * debugging.
 *
 * <p>Only the SLF4J binding lives here.
 */
@NullMarked
package io.sandboxspi.cli.log;

import org.jspecify.annotations.NullMarked;
