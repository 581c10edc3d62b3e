/**
 * The only copy of the shell that starts, signals and ends processes inside containers and remote
 * machines, as text, and the parsers of what it answers.
 *
 * <p>No input or output, thread or provider belongs here: a provider delivers the text and reads
 * the answers. The shell runs under dash, bash and busybox.
 */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.core.posix;
