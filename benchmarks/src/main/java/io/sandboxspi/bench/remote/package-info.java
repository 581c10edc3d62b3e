/** Measurements of the E2B provider beside the bare wire, curl and the vendor's own client. */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.bench.remote;
