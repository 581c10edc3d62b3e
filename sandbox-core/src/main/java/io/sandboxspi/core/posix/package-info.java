/**
 * Help for providers whose sandbox has a POSIX shell: the only copy of the shell that starts,
 * signals and ends processes inside containers and remote machines, as text, and the parsers of
 * what it answers. Use it and the rules of docs/spec.md "The POSIX launcher" hold for your backend.
 *
 * <ul>
 *   <li>{@link io.sandboxspi.core.posix.PosixLauncher} renders a launch; {@link
 *       io.sandboxspi.core.posix.LaunchMarks} takes what the launcher says out of the program's
 *       output.
 *   <li>{@link io.sandboxspi.core.posix.PosixKill}, {@link io.sandboxspi.core.posix.PosixSignal}
 *       and {@link io.sandboxspi.core.posix.PosixStatus} render commands and read their answers;
 *       run them with {@link io.sandboxspi.core.posix.PosixState#argv} or, faster, through a shell
 *       that is kept ({@link io.sandboxspi.core.posix.ControlShell}).
 *   <li>One {@link io.sandboxspi.core.posix.PosixState} for all of them.
 * </ul>
 *
 * <p>No input or output, thread or provider belongs here: a provider delivers the text and reads
 * the answers. The shell runs under dash, bash and busybox. Unless a type says otherwise its
 * methods are thread-safe, do not block, and refuse bad input with {@code INVALID_ARGUMENT}.
 */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.core.posix;
