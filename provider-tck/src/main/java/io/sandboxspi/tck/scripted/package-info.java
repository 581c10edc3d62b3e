/**
 * A provider in memory whose processes are driven by a test.
 *
 * <p>No real process, thread or file is made here, and nothing of the engine is used.
 */
@NullMarked
package io.sandboxspi.tck.scripted;

import org.jspecify.annotations.NullMarked;
