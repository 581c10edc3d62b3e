/**
 * A backend made of what every remote vendor with a POSIX shell can do: start a process, read and
 * write its streams, move a file. Launches, kills, signals and files are shared here.
 *
 * <p>A vendor implements {@link Machine}; its wire format stays in its own module.
 */
@NullMarked
package io.sandboxspi.remote.shell;

import org.jspecify.annotations.NullMarked;
