/**
 * The provider "local": processes of this machine, in a workspace directory. Joins the drivers and
 * the sweep to the SPI; native calls live below.
 */
@NullMarked
package io.sandboxspi.local;

import org.jspecify.annotations.NullMarked;
