/**
 * HTTP, streams, WebSockets and Connect framing for all remote providers, on the JDK's client.
 *
 * <p>Every call has a deadline that covers its body, every stream an idle limit. No vendor's paths,
 * names or states belong here.
 */
@NullMarked
package io.sandboxspi.remote.transport;

import org.jspecify.annotations.NullMarked;
