/**
 * Checks over the compiled output of all modules: floors, public API files, specification trace.
 *
 * <p>Nothing here is published, and nothing here runs a sandbox.
 */
@org.jspecify.annotations.NullMarked
package io.sandboxspi.build;
