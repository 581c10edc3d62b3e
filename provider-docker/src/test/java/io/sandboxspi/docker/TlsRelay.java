package io.sandboxspi.docker;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.Socket;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLServerSocket;
import javax.net.ssl.SSLSocket;

/** An engine's unix socket behind TLS, for clients with a certificate. */
final class TlsRelay implements AutoCloseable {
  private final SSLServerSocket server;
  private final Path engine;
  private final Set<AutoCloseable> open = ConcurrentHashMap.newKeySet();

  TlsRelay(SSLContext context, Path engine) throws IOException {
    this.engine = engine;
    server =
        (SSLServerSocket)
            context
                .getServerSocketFactory()
                .createServerSocket(0, 50, InetAddress.getLoopbackAddress());
    server.setNeedClientAuth(true);
    daemon("accept", this::accept);
  }

  int port() {
    return server.getLocalPort();
  }

  private void accept() {
    while (!server.isClosed()) {
      try {
        Socket client = server.accept();
        open.add(client);
        daemon("client", () -> serve((SSLSocket) client));
      } catch (IOException closing) {
        return;
      }
    }
  }

  private void serve(SSLSocket client) {
    try (client;
        SocketChannel upstream = SocketChannel.open(UnixDomainSocketAddress.of(engine))) {
      open.add(upstream);
      client.startHandshake();
      InputStream in = client.getInputStream();
      Thread up = daemon("up", () -> copyUp(in, upstream));
      OutputStream out = client.getOutputStream();
      // Not as a stream: one that reads keeps the other from writing.
      ByteBuffer buffer = ByteBuffer.allocate(65_536);
      while (upstream.read(buffer.clear()) >= 0) {
        out.write(buffer.array(), 0, buffer.position());
      }
      client.shutdownOutput();
      up.interrupt();
    } catch (IOException gone) {
      // The client sees it.
      open.remove(client);
    }
  }

  private static void copyUp(InputStream in, SocketChannel to) {
    try {
      byte[] chunk = new byte[65_536];
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        ByteBuffer bytes = ByteBuffer.wrap(chunk, 0, n);
        while (bytes.hasRemaining()) {
          to.write(bytes);
        }
      }
      to.shutdownOutput();
    } catch (IOException gone) {
      // The other direction has ended.
      return;
    }
  }

  private static Thread daemon(String role, Runnable task) {
    Thread thread = new Thread(task, "tls-relay-" + role);
    thread.setDaemon(true);
    thread.start();
    return thread;
  }

  @Override
  public void close() throws Exception {
    server.close();
    for (AutoCloseable one : open) {
      one.close();
    }
  }
}
