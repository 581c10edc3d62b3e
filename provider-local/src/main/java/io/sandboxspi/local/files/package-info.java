/**
 * Files below one directory, without a way out of it through links, even ones swapped in meanwhile.
 * Knows the SPI's file calls, but nothing of processes.
 */
@NullMarked
package io.sandboxspi.local.files;

import org.jspecify.annotations.NullMarked;
