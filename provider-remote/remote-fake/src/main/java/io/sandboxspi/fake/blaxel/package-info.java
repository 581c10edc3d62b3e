/**
 * A fake of Blaxel: control plane, gateway, and the agents of its sandboxes.
 *
 * <p>Written from the vendor's protocol, not from the client.
 */
@NullMarked
package io.sandboxspi.fake.blaxel;

import org.jspecify.annotations.NullMarked;
