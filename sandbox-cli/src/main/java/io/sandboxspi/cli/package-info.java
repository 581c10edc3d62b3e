/**
 * The {@code sandbox} command: parsing, standard streams, the user's terminal, exit codes.
 *
 * <p>Nothing that a runtime would need lives here; sandboxes are reached through the engine only.
 */
@NullMarked
package io.sandboxspi.cli;

import org.jspecify.annotations.NullMarked;
