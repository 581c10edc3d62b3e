/** A JVM of its own in which contenders are measured, and the handle on it. No statistics here. */
@NullMarked
package io.sandboxspi.bench.worker;

import org.jspecify.annotations.NullMarked;
