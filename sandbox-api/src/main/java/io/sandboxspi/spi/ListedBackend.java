package io.sandboxspi.spi;

import java.time.Instant;

/**
 * A backend that exists, by the marks that its provider put on it.
 *
 * @param ref names it, for {@link SandboxProvider#delete}
 * @param sessionId the session that it was made for
 * @param owner the process that made it or attached to it last, as {@code
 *     io.sandboxspi.core.reap.Owner} writes it; never a secret
 * @param created when it was made
 */
public record ListedBackend(BackendRef ref, String sessionId, String owner, Instant created) {}
