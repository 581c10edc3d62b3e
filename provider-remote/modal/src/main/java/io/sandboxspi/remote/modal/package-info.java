/**
 * Sandboxes on Modal: its control plane, and the router in front of each sandbox's task, over gRPC.
 *
 * <p>What is not Modal's own is in the transport; gRPC is nowhere else.
 */
@NullMarked
package io.sandboxspi.remote.modal;

import org.jspecify.annotations.NullMarked;
