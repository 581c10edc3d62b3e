package io.sandboxspi.docker.engine;

import java.nio.ByteBuffer;

/**
 * A connection that has left HTTP. Its channel does not block.
 *
 * @param wire the connection; whoever has this closes it
 * @param early bytes that were read already
 */
public record Hijacked(Wire wire, ByteBuffer early) {}
