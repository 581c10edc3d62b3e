/**
 * Backends that nobody owns any more: who made one, whether he lives, and their removal.
 *
 * <p>Nothing here knows how a provider marks what it makes.
 */
@NullMarked
package io.sandboxspi.core.reap;

import org.jspecify.annotations.NullMarked;
