/**
 * Ends whole process trees and proves it: by process group, session, descent, and by a cookie in
 * the environment. Knows drivers, but no sandboxes.
 */
@NullMarked
package io.sandboxspi.local.sweep;

import org.jspecify.annotations.NullMarked;
