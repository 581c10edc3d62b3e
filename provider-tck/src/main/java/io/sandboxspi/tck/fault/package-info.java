/**
 * Fault injection between the engine and a provider: a plan of rules, a decorator, a call log.
 *
 * <p>The provider's real code runs below and the engine's real code above; no assertion lives here.
 */
@NullMarked
package io.sandboxspi.tck.fault;

import org.jspecify.annotations.NullMarked;
