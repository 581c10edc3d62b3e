package io.sandboxspi.fake.modal;

import io.sandboxspi.fake.FakeThreads;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;

/** Hands on the bytes of connections, until they are cut or held. Thread-safe. */
public final class Relay implements AutoCloseable {
  private final ServerSocket listener;
  private final Map<Integer, Pair> open = new ConcurrentHashMap<>();
  private volatile CountDownLatch held = new CountDownLatch(0);

  private record Pair(Socket client, Socket server) {
    void close() {
      try (Socket first = client;
          Socket second = server) {
        assert first != second;
      } catch (IOException closed) {
        assert closed.getMessage() != null;
      }
    }
  }

  Relay() {
    try {
      listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  int port() {
    return listener.getLocalPort();
  }

  void start(int target) {
    FakeThreads.start("relay", () -> accept(target));
  }

  private void accept(int target) {
    while (!listener.isClosed()) {
      try {
        Socket client = listener.accept();
        Socket server = new Socket(InetAddress.getLoopbackAddress(), target);
        client.setTcpNoDelay(true);
        server.setTcpNoDelay(true);
        Pair pair = new Pair(client, server);
        open.put(server.getLocalPort(), pair);
        FakeThreads.start("relay", () -> pump(pair, client, server));
        FakeThreads.start("relay", () -> pump(pair, server, client));
      } catch (IOException closed) {
        assert closed.getMessage() != null;
      }
    }
  }

  private void pump(Pair pair, Socket from, Socket to) {
    byte[] chunk = new byte[64 * 1024];
    try {
      InputStream in = from.getInputStream();
      OutputStream out = to.getOutputStream();
      for (int n = in.read(chunk); n >= 0; n = in.read(chunk)) {
        held.await();
        out.write(chunk, 0, n);
      }
    } catch (IOException closed) {
      assert closed.getMessage() != null;
    } catch (InterruptedException e) {
      Thread.currentThread().interrupt();
    } finally {
      pair.close();
      open.remove(pair.server().getLocalPort());
    }
  }

  /** Ends the connection that the server sees with this port. */
  void cut(int port) {
    Pair pair = open.get(port);
    if (pair != null) {
      pair.close();
    }
  }

  /** Ends all connections. */
  public void cutAll() {
    open.values().forEach(Pair::close);
  }

  /** From now on nothing comes through, and nobody is told. */
  public void hold() {
    held = new CountDownLatch(1);
  }

  /** What was held comes through, and what follows. */
  public void goOn() {
    held.countDown();
  }

  /** Connections that are open. */
  public int connections() {
    return open.size();
  }

  @Override
  public void close() {
    held.countDown();
    try {
      listener.close();
    } catch (IOException closed) {
      assert closed.getMessage() != null;
    }
    cutAll();
  }
}
