/** The ways to run processes that are measured, behind one interface. No statistics here. */
@NullMarked
package io.sandboxspi.bench.contender;

import org.jspecify.annotations.NullMarked;
