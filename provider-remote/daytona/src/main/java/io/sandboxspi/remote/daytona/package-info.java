/**
 * The provider of Daytona: its control plane, the daemon in its sandboxes, and clean byte streams
 * over its terminals. What is not Daytona's is in {@code io.sandboxspi.remote}.
 */
@NullMarked
package io.sandboxspi.remote.daytona;

import org.jspecify.annotations.NullMarked;
