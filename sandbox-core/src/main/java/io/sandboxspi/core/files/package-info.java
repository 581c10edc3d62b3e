/**
 * Files of backends that have nothing but a POSIX shell: the one copy of the shell text that works
 * on files, and what reads its answers. The shell runs under dash, bash and busybox.
 *
 * <p>Processes are launched through the SPI; no session and no thread belongs here.
 */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.core.files;
