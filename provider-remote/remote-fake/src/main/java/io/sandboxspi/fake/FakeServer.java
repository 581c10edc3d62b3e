package io.sandboxspi.fake;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.URI;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.http.UriCompliance;
import org.eclipse.jetty.io.EndPoint;
import org.eclipse.jetty.server.Handler;
import org.eclipse.jetty.server.HttpConfiguration;
import org.eclipse.jetty.server.HttpConnectionFactory;
import org.eclipse.jetty.server.Request;
import org.eclipse.jetty.server.Response;
import org.eclipse.jetty.server.Server;
import org.eclipse.jetty.server.ServerConnector;
import org.eclipse.jetty.util.Callback;
import org.eclipse.jetty.util.thread.QueuedThreadPool;
import org.eclipse.jetty.websocket.server.ServerWebSocketContainer;

/** A server on the loopback address whose requests may meet faults. */
public final class FakeServer implements AutoCloseable {
  private static final int MOST_THREADS = 1024;

  private final Server server;
  private final ServerConnector connector;
  private final Faults faults = new Faults();
  private final ScheduledExecutorService timer;
  private final Answerer answerer;

  /** Answers requests, on threads that it may block. */
  @FunctionalInterface
  public interface Answerer {
    /** Answers one, now or later. */
    void answer(Exchange exchange) throws IOException;
  }

  /**
   * Starts it.
   *
   * @param vendor names its threads
   */
  public FakeServer(String vendor, Answerer answerer) {
    this.answerer = answerer;
    this.timer = FakeThreads.timer(vendor);
    QueuedThreadPool threads = new QueuedThreadPool(MOST_THREADS);
    threads.setName("fake-" + vendor);
    threads.setDaemon(true);
    server = new Server(threads);
    HttpConfiguration configuration = new HttpConfiguration();
    configuration.setSendServerVersion(false);
    // Otherwise a value comes in the case that it had before.
    configuration.setHeaderCacheCaseSensitive(true);
    // What a path means is a matter of the vendor.
    configuration.setUriCompliance(UriCompliance.UNSAFE);
    connector = new ServerConnector(server, 1, 1, new HttpConnectionFactory(configuration));
    connector.setHost("127.0.0.1");
    connector.setIdleTimeout(Duration.ofSeconds(3).toMillis());
    server.addConnector(connector);
    ServerWebSocketContainer sockets = ServerWebSocketContainer.ensure(server);
    sockets.setIdleTimeout(Duration.ofMinutes(10));
    server.setHandler(new Front());
    try {
      server.start();
    } catch (Exception e) {
      throw new IllegalStateException("the fake does not start", e);
    }
  }

  private final class Front extends Handler.Abstract {
    @Override
    public boolean handle(Request request, Response response, Callback callback) {
      request.addIdleTimeoutListener(expired -> false);
      Optional<Fault> fault =
          faults.take(request.getMethod() + " " + Request.getPathInContext(request));
      Exchange exchange = new Exchange(request, response, callback, fault);
      if (fault.orElse(null) instanceof Fault.Delay delay) {
        var unused =
            timer.schedule(
                () -> FakeThreads.start("late", () -> run(exchange)),
                delay.time().toNanos(),
                TimeUnit.NANOSECONDS);
      } else if (fault.orElse(null) instanceof Fault.CutBefore) {
        exchange.cut();
      } else if (fault.orElse(null) instanceof Fault.Refuse refuse) {
        if (refuse.retryAfter() >= 0) {
          exchange.set("Retry-After", String.valueOf(refuse.retryAfter()));
        }
        refuse(exchange, refuse);
      } else {
        run(exchange);
      }
      return true;
    }
  }

  /** When it was read whole: else its sender may see a broken pipe and not the answer. */
  private static void refuse(Exchange exchange, Fault.Refuse refuse) {
    try (InputStream body = exchange.body()) {
      long unused = body.transferTo(OutputStream.nullOutputStream());
      exchange.answer(
          refuse.status(), refuse.contentType(), refuse.body().getBytes(StandardCharsets.UTF_8));
    } catch (IOException e) {
      exchange.fail(e);
    }
  }

  private void run(Exchange exchange) {
    try {
      answerer.answer(exchange);
    } catch (IOException | RuntimeException e) {
      exchange.fail(e);
    }
  }

  /** What goes wrong. */
  public Faults faults() {
    return faults;
  }

  /** A timer; its tasks do not block. */
  public ScheduledExecutorService timer() {
    return timer;
  }

  /** Its address without a path. */
  public URI uri() {
    return URI.create("http://127.0.0.1:" + connector.getLocalPort());
  }

  /** Connections that are open. */
  public int connections() {
    return connector.getConnectedEndPoints().size();
  }

  /** Ends them without a word. */
  public void cutConnections() {
    connector.getConnectedEndPoints().forEach(EndPoint::close);
  }

  @Override
  public void close() {
    timer.shutdownNow();
    try {
      server.stop();
    } catch (Exception e) {
      throw new IllegalStateException("the fake does not stop", e);
    }
  }
}
