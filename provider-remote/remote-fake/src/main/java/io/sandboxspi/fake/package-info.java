/**
 * What the fakes of all vendors share: real processes in real terminals, faults, a server.
 *
 * <p>For tests and {@code sandbox tck --fake}. A fake runs whatever it is asked to on this machine,
 * so it listens on the loopback address only.
 */
@NullMarked
package io.sandboxspi.fake;

import org.jspecify.annotations.NullMarked;
