/**
 * The conformance kit as its users see it: the class to extend, the environment, runner and report.
 *
 * <p>The tests are in {@code rules}, their tools in {@code kit}, fault injection in {@code fault}.
 */
@NullMarked
package io.sandboxspi.tck;

import org.jspecify.annotations.NullMarked;
