/**
 * The provider of Cloudflare's sandbox bridge: its calls, its events, and terminals that never say
 * that they ended. What is not Cloudflare's is in {@code io.sandboxspi.remote}.
 */
@NullMarked
package io.sandboxspi.remote.cloudflare;

import org.jspecify.annotations.NullMarked;
