/**
 * Manifests: their JSON form, and what it takes to put one into a workspace.
 *
 * <p>No session and no provider belongs here.
 */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.core.manifest;
