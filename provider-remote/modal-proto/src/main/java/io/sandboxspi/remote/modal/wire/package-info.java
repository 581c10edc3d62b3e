/** Modal's messages, generated from its field tables, and its calls. Nothing else is here. */
@NullMarked
package io.sandboxspi.remote.modal.wire;

import org.jspecify.annotations.NullMarked;
