package io.sandboxspi.docker.engine;

import io.sandboxspi.docker.engine.EngineException.Kind;
import java.io.Closeable;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.SocketAddress;
import java.net.StandardProtocolFamily;
import java.net.StandardSocketOptions;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.SocketChannel;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Opens and closes sockets. */
final class Sockets {
  private static final Logger LOG = LoggerFactory.getLogger(Sockets.class);

  private Sockets() {}

  /** A channel that is not connected yet, so that a deadline can close it while it connects. */
  static SocketChannel open(EngineAddress address) throws IOException {
    if (address instanceof EngineAddress.Unix) {
      return SocketChannel.open(StandardProtocolFamily.UNIX);
    }
    SocketChannel channel = SocketChannel.open();
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
    channel.setOption(StandardSocketOptions.SO_KEEPALIVE, true);
    return channel;
  }

  static void connect(SocketChannel channel, EngineAddress address) throws IOException {
    SocketAddress target;
    if (address instanceof EngineAddress.Unix unix) {
      target = UnixDomainSocketAddress.of(unix.path());
    } else if (address instanceof EngineAddress.Tcp tcp) {
      InetSocketAddress resolved = new InetSocketAddress(tcp.host(), tcp.port());
      if (resolved.isUnresolved()) {
        throw new EngineException(Kind.UNREACHABLE, "the host " + tcp.host() + " is unknown");
      }
      target = resolved;
    } else {
      throw new IllegalStateException("no such kind of address: " + address);
    }
    boolean unused = channel.connect(target);
  }

  static void close(Closeable closeable) {
    try {
      closeable.close();
    } catch (IOException e) {
      // The descriptor is free all the same.
      LOG.debug("a socket closed with an error", e);
    }
  }
}
