/** Measurements of the Docker provider beside a raw floor and its peers. */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.bench.docker;
