/** JMH benchmarks of the engine over a backend that does nothing. No processes here. */
@NullMarked
package io.sandboxspi.bench.micro;

import org.jspecify.annotations.NullMarked;
