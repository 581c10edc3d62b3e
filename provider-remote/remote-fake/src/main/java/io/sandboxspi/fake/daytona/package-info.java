/**
 * Daytona as far as its protocol shows: a control plane, a proxy, and the daemon in front of real
 * processes, with the quirks of version 0.190 and the new terminals of later ones.
 */
@NullMarked
package io.sandboxspi.fake.daytona;

import org.jspecify.annotations.NullMarked;
