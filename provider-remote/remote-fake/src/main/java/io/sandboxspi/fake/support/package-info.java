/** What tests against a fake have in common: sessions on it, and vendors' own clients. */
@NullMarked
package io.sandboxspi.fake.support;

import org.jspecify.annotations.NullMarked;
