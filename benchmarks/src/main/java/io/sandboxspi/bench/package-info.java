/** The runner: it plans, records and reports. It starts no measured process itself. */
@NullMarked
package io.sandboxspi.bench;

import org.jspecify.annotations.NullMarked;
