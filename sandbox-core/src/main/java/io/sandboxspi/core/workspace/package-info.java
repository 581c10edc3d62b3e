/**
 * Trees of files on their way between a sandbox, archives and the host: encoding, checks, limits
 * and fingerprints, one entry at a time.
 *
 * <p>No session, thread or process belongs here.
 */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.core.workspace;
