package io.sandboxspi.remote.transport;

import io.sandboxspi.fake.support.SelfSigned;
import java.io.IOException;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.eclipse.jetty.io.Content;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.io.SocketChannelEndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.server.SslConnectionFactory;
import org.eclipse.jetty.util.Blocker;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.ssl.SslContextFactory;
import org.eclipse.jetty.websocket.api.Session;
import org.eclipse.jetty.websocket.server.WebSocketUpgradeHandler;

/** A real server whose answers a test writes. */
final class TestServer implements AutoCloseable {
  private final Server server = new Server();
  private final ServerConnector connector;
  private final Map<String, Answerer> answers = new ConcurrentHashMap<>();
  final AtomicInteger requests = new AtomicInteger();

  /** Answers one request, on a thread that it may block. */
  interface Answerer {
    void answer(Exchange exchange) throws Exception;
  }

  /** One request. */
  record Exchange(Request request, Response response) {
    Exchange status(int status) {
      response.setStatus(status);
      return this;
    }

    Exchange header(String name, String value) {
      response.getHeaders().put(name, value);
      return this;
    }

    String header(String name) {
      return request.getHeaders().get(name);
    }

    byte[] body() throws IOException {
      return Content.Source.asInputStream(request).readAllBytes();
    }

    /** Writes and flushes. */
    Exchange write(byte[] bytes) throws IOException {
      try (Blocker.Callback done = Blocker.callback()) {
        response.write(false, ByteBuffer.wrap(bytes), done);
        done.block();
      }
      return this;
    }

    Exchange write(String text) throws IOException {
      return write(text.getBytes(java.nio.charset.StandardCharsets.UTF_8));
    }

    /** Ends the connection without a word. */
    void cut() {
      request.getConnectionMetaData().getConnection().getEndPoint().close();
    }

    /** Waits until the peer has closed the connection, in bounds: nobody else reads it now. */
    boolean peerGone() throws Exception {
      EndPoint endPoint = request.getConnectionMetaData().getConnection().getEndPoint();
      SocketChannel channel = ((SocketChannelEndPoint) endPoint).getChannel();
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
      boolean gone = false;
      while (!gone && System.nanoTime() < end) {
        try {
          gone = channel.read(ByteBuffer.allocate(1)) < 0;
        } catch (IOException reset) {
          gone = true;
        }
        boolean unused = new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
      }
      if (gone) {
        cut();
      }
      return gone;
    }
  }

  TestServer() throws Exception {
    this(null);
  }

  /** With TLS when there is a key store. */
  TestServer(Path keyStore) throws Exception {
    HttpConnectionFactory http = new HttpConnectionFactory(new HttpConfiguration());
    if (keyStore == null) {
      connector = new ServerConnector(server, http);
    } else {
      SslContextFactory.Server tls = new SslContextFactory.Server();
      tls.setKeyStorePath(keyStore.toString());
      tls.setKeyStorePassword(SelfSigned.PASSWORD);
      tls.setSniRequired(false);
      connector = new ServerConnector(server, new SslConnectionFactory(tls, "http/1.1"), http);
    }
    connector.setHost("localhost");
    connector.setIdleTimeout(Duration.ofSeconds(60).toMillis());
    server.addConnector(connector);
    WebSocketUpgradeHandler sockets =
        WebSocketUpgradeHandler.from(
            server,
            container -> {
              container.setMaxTextMessageSize(200L << 20);
              container.setMaxBinaryMessageSize(200L << 20);
              container.setIdleTimeout(Duration.ofSeconds(60));
              container.addMapping(
                  "/ws",
                  (request, response, callback) -> {
                    if (request.getHeaders().get("X-Refuse") != null) {
                      response.setStatus(409);
                      response.write(
                          true,
                          ByteBuffer.wrap("{\"error\":\"there is one\"}".getBytes()),
                          callback);
                      return null;
                    }
                    if (!request.getSubProtocols().isEmpty()) {
                      response.setAcceptedSubProtocol(request.getSubProtocols().get(0));
                    }
                    return new SocketScript(script);
                  });
            });
    sockets.setHandler(new Dispatcher());
    server.setHandler(sockets);
    server.start();
  }

  volatile SocketScript.Script script = (session, message) -> {};

  private final class Dispatcher extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      requests.incrementAndGet();
      Answerer answerer = answers.get(Request.getPathInContext(request));
      if (answerer == null) {
        Response.writeError(request, response, callback, 404);
        return true;
      }
      try {
        answerer.answer(new Exchange(request, response));
        callback.succeeded();
      } catch (Throwable e) {
        callback.failed(e);
      }
      return true;
    }
  }

  URI on(String path, Answerer answerer) {
    answers.put(path, answerer);
    return uri(path);
  }

  URI uri(String path) {
    String scheme =
        connector.getConnectionFactory(SslConnectionFactory.class) == null ? "http" : "https";
    return URI.create(scheme + "://localhost:" + connector.getLocalPort() + path);
  }

  URI socket() {
    return URI.create("ws://localhost:" + connector.getLocalPort() + "/ws");
  }

  /** Connections that are open. */
  int connections() {
    return connector.getConnectedEndPoints().size();
  }

  boolean connectionsBecome(int atMost) throws InterruptedException {
    long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (connections() > atMost) {
      if (System.nanoTime() > end) {
        return false;
      }
      boolean unused = new CountDownLatch(1).await(10, TimeUnit.MILLISECONDS);
    }
    return true;
  }

  static void close(Session session, int code, String reason) {
    session.close(code, reason, org.eclipse.jetty.websocket.api.Callback.NOOP);
  }

  @Override
  public void close() throws Exception {
    server.stop();
  }
}
