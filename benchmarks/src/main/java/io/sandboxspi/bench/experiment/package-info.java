/** What is measured and in which order. No contender is called directly, only through a worker. */
@NullMarked
package io.sandboxspi.bench.experiment;

import org.jspecify.annotations.NullMarked;
