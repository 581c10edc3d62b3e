/**
 * Sandboxes on E2B: its control plane, and the daemon in each sandbox over Connect and HTTP.
 *
 * <p>What is not E2B's own is in the transport.
 */
@NullMarked
package io.sandboxspi.remote.e2b;

import org.jspecify.annotations.NullMarked;
