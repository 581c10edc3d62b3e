/**
 * Providers and sessions that break one thing each, and the test that the kit finds just that.
 *
 * <p>Test code.
 */
@NullMarked
package io.sandboxspi.tck.saboteur;

import org.jspecify.annotations.NullMarked;
