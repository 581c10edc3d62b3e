/**
 * What a backend author implements: a provider, its backends, their processes and files.
 *
 * <p>Only interfaces and values live here; registry, collection and cleanup belong to the engine.
 */
@NullMarked
package io.sandboxspi.spi;

import org.jspecify.annotations.NullMarked;
