/**
 * The streams of processes in a container: one thread that reads all of them, splits what is
 * multiplexed, and waits for consumers without ever being held by one. Knows no containers.
 */
@NullMarked
package io.sandboxspi.docker.attach;

import org.jspecify.annotations.NullMarked;
