/**
 * Snapshot stores, and checkpoints as JSON.
 *
 * <p>When a snapshot is taken and restored is the session's business, not this package's.
 */
@NullMarked
package io.sandboxspi.core.snapshot;

import org.jspecify.annotations.NullMarked;
