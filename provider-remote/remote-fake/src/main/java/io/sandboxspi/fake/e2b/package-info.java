/**
 * E2B as its clients see it: control plane, edge and the daemon in the sandbox, in front of real
 * processes of this machine, with the habits that its protocol note lists.
 */
@NullMarked
package io.sandboxspi.fake.e2b;

import org.jspecify.annotations.NullMarked;
