/**
 * A fake of Modal: control plane and router at one address, in front of real processes.
 *
 * <p>It is written from the vendor's protocol, not from our client.
 */
@NullMarked
package io.sandboxspi.fake.modal;

import org.jspecify.annotations.NullMarked;
