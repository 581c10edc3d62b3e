/**
 * The Docker provider: a container for each sandbox. Options, containers, launches, kills and files
 * live here; sockets and streams in the packages below.
 */
@NullMarked
package io.sandboxspi.docker;

import org.jspecify.annotations.NullMarked;
