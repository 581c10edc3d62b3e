/**
 * What a runtime sees: values, session interfaces, errors, events and cancellation scopes.
 *
 * <p>No engine code, no provider code and no host paths live here; sandbox paths are POSIX strings.
 */
@NullMarked
package io.sandboxspi;

import org.jspecify.annotations.NullMarked;
