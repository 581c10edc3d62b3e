package io.sandboxspi.remote.daytona;

import static java.nio.charset.StandardCharsets.US_ASCII;

import com.sun.net.httpserver.HttpServer;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.net.URI;

/** A program that listens, and somebody who asks a proxy for it by a name that no one resolves. */
final class Loopback {
  private Loopback() {}

  /** Answers everything with 200. */
  static final class Web implements AutoCloseable {
    private final HttpServer server;

    Web() throws IOException {
      server = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
      server.createContext(
          "/",
          exchange -> {
            exchange.sendResponseHeaders(200, -1);
            exchange.close();
          });
      server.start();
    }

    int port() {
      return server.getAddress().getPort();
    }

    @Override
    public void close() {
      server.stop(0);
    }
  }

  static int unusedPort() throws IOException {
    try (ServerSocket socket = new ServerSocket(0)) {
      return socket.getLocalPort();
    }
  }

  static URI without(URI uri) {
    return URI.create(uri.toString().replaceFirst("[?].*", ""));
  }

  /** What a GET of this address is answered with. */
  static int status(URI uri) throws IOException {
    String path = uri.getRawPath() + (uri.getRawQuery() == null ? "" : "?" + uri.getRawQuery());
    try (Socket socket = new Socket(InetAddress.getLoopbackAddress(), uri.getPort())) {
      socket.setSoTimeout(20_000);
      socket
          .getOutputStream()
          .write(
              ("GET " + path + " HTTP/1.1\r\nHost: " + uri.getAuthority() + "\r\n\r\n")
                  .getBytes(US_ASCII));
      String line =
          new BufferedReader(new InputStreamReader(socket.getInputStream(), US_ASCII)).readLine();
      return Integer.parseInt(line.split(" ", 3)[1]);
    }
  }
}
