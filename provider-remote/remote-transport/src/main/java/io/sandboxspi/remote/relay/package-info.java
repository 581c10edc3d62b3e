/**
 * Processes of vendors that have nothing but terminals: clean byte streams, standard error apart,
 * ends that are told. A vendor implements {@link VendorTerminal}; its wire format stays in its own
 * module.
 */
@NullMarked
package io.sandboxspi.remote.relay;

import org.jspecify.annotations.NullMarked;
