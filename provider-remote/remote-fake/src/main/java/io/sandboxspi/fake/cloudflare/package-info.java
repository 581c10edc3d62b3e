/**
 * Cloudflare's sandbox bridge, as it answers: ids that start nothing, commands as events, terminals
 * that control nobody and never say that they ended.
 */
@NullMarked
package io.sandboxspi.fake.cloudflare;

import org.jspecify.annotations.NullMarked;
