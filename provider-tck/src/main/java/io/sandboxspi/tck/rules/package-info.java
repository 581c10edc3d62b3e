/**
 * The tests of the kit, one interface for each concern.
 *
 * <p>Each test names its rules; tools are in {@code io.sandboxspi.tck.kit}.
 */
@NullMarked
package io.sandboxspi.tck.rules;

import org.jspecify.annotations.NullMarked;
