package io.sandboxspi.docker.engine;

import java.io.EOFException;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.security.NoSuchAlgorithmException;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLEngine;
import javax.net.ssl.SSLEngineResult;
import javax.net.ssl.SSLEngineResult.HandshakeStatus;
import javax.net.ssl.SSLParameters;

/**
 * Encrypted bytes over TCP. One reader and one writer at a time; the locks guard the buffers of
 * each direction, and a channel that does not block is all that is used under them.
 */
final class TlsWire implements Wire {
  private static final ByteBuffer NOTHING = ByteBuffer.allocate(0);

  private final SocketChannel channel;
  private final SSLEngine tls;
  private final Object outLock = new Object();
  private final ByteBuffer netOut;
  private final ByteBuffer netIn;
  private final ByteBuffer plain;

  private TlsWire(SocketChannel channel, SSLEngine tls) {
    this.channel = channel;
    this.tls = tls;
    int packet = tls.getSession().getPacketBufferSize();
    this.netOut = ByteBuffer.allocate(packet * 2).flip();
    this.netIn = ByteBuffer.allocate(packet * 2).flip();
    this.plain = ByteBuffer.allocate(tls.getSession().getApplicationBufferSize() * 2).flip();
  }

  /** Shakes hands on a channel that blocks; the engine's certificate must name the host. */
  static TlsWire handshake(SocketChannel channel, SSLContext context, String host, int port)
      throws IOException {
    SSLEngine tls = context.createSSLEngine(host, port);
    tls.setUseClientMode(true);
    SSLParameters parameters = tls.getSSLParameters();
    // docker-java's context stops at 1.2, where an end of the output ends both directions.
    SSLParameters usual = usual();
    parameters.setProtocols(usual.getProtocols());
    parameters.setCipherSuites(usual.getCipherSuites());
    parameters.setEndpointIdentificationAlgorithm("HTTPS");
    tls.setSSLParameters(parameters);
    TlsWire wire = new TlsWire(channel, tls);
    tls.beginHandshake();
    wire.shakeHands();
    return wire;
  }

  private static SSLParameters usual() throws IOException {
    try {
      return SSLContext.getDefault().getDefaultSSLParameters();
    } catch (NoSuchAlgorithmException e) {
      throw new IOException("this JVM has no TLS", e);
    }
  }

  private void shakeHands() throws IOException {
    while (true) {
      switch (tls.getHandshakeStatus()) {
        case NEED_TASK -> runTasks();
        case NEED_WRAP -> {
          int unused = write(NOTHING);
        }
        case NEED_UNWRAP, NEED_UNWRAP_AGAIN -> {
          if (unwrap() < 0) {
            throw new EOFException("the connection ended while shaking hands");
          }
        }
        default -> {
          return;
        }
      }
    }
  }

  private void runTasks() {
    for (Runnable task = tls.getDelegatedTask(); task != null; task = tls.getDelegatedTask()) {
      task.run();
    }
  }

  @Override
  public SocketChannel channel() {
    return channel;
  }

  @Override
  public int read(ByteBuffer into) throws IOException {
    while (!plain.hasRemaining()) {
      int n = unwrap();
      if (n < 0) {
        return -1;
      }
      if (n == 0) {
        return 0;
      }
    }
    int n = Math.min(plain.remaining(), into.remaining());
    into.put(plain.slice().limit(n));
    plain.position(plain.position() + n);
    return n;
  }

  /** One step inwards: 1 for progress, 0 when the channel has nothing, -1 at the end. */
  private int unwrap() throws IOException {
    plain.compact();
    SSLEngineResult result;
    try {
      result = tls.unwrap(netIn, plain);
    } finally {
      plain.flip();
    }
    switch (result.getStatus()) {
      case CLOSED -> {
        return plain.hasRemaining() ? 1 : -1;
      }
      case BUFFER_UNDERFLOW -> {
        netIn.compact();
        int n;
        try {
          n = channel.read(netIn);
        } finally {
          netIn.flip();
        }
        if (n < 0) {
          throw new EOFException("the encrypted connection was cut");
        }
        return n > 0 ? 1 : 0;
      }
      case BUFFER_OVERFLOW -> throw new IOException("a TLS record is larger than announced");
      case OK -> {
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
          runTasks();
        }
        if (result.getHandshakeStatus() == HandshakeStatus.NEED_WRAP) {
          int unused = write(NOTHING);
        }
        return 1;
      }
    }
    return 1;
  }

  @Override
  public int write(ByteBuffer from) throws IOException {
    synchronized (outLock) {
      if (!flush()) {
        return 0;
      }
      netOut.clear();
      SSLEngineResult result;
      try {
        result = tls.wrap(from, netOut);
      } finally {
        netOut.flip();
      }
      boolean unused = flush();
      if (result.getStatus() == SSLEngineResult.Status.CLOSED && from.hasRemaining()) {
        throw new IOException("the encrypted connection is closed");
      }
      if (result.getHandshakeStatus() == HandshakeStatus.NEED_TASK) {
        runTasks();
      }
      return result.bytesConsumed();
    }
  }

  @Override
  public boolean flush() throws IOException {
    synchronized (outLock) {
      while (netOut.hasRemaining()) {
        if (channel.write(netOut) == 0) {
          return false;
        }
      }
      return true;
    }
  }

  @Override
  public void shutdownOutput() throws IOException {
    tls.closeOutbound();
    int unused = write(NOTHING);
  }

  @Override
  public void close() {
    Sockets.close(channel);
  }
}
