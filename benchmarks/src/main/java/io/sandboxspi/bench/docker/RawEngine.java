package io.sandboxspi.bench.docker;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.UnixDomainSocketAddress;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** The floor: HTTP over a {@link SocketChannel} and nothing around it. */
final class RawEngine {
  private static final Pattern ID = Pattern.compile("\"Id\":\"([0-9a-f]+)\"");

  private final UnixDomainSocketAddress socket;

  RawEngine(String path) {
    socket = UnixDomainSocketAddress.of(path);
  }

  /** An exec from its creation to the first byte of its output, in nanoseconds. */
  long firstByte(String container, String argv) throws IOException {
    long begin = System.nanoTime();
    String made =
        whole(
            "POST",
            "/containers/" + container + "/exec",
            "{\"AttachStdout\":true,\"AttachStderr\":true,\"Cmd\":" + argv + "}");
    Matcher id = ID.matcher(made);
    if (!id.find()) {
      throw new IOException(made);
    }
    try (SocketChannel channel = SocketChannel.open(socket)) {
      send(
          channel,
          "POST",
          "/exec/" + id.group(1) + "/start",
          "{\"Detach\":false,\"Tty\":false}",
          "Connection: Upgrade\r\nUpgrade: tcp\r\n");
      ByteBuffer in = ByteBuffer.allocate(65_536);
      int head = -1;
      // The head, then a frame's eight bytes, then the first byte.
      while (head < 0 || in.position() <= head + 8) {
        if (channel.read(in) < 0) {
          throw new IOException("the stream ended early");
        }
        if (head < 0) {
          String text = new String(in.array(), 0, in.position(), StandardCharsets.ISO_8859_1);
          int end = text.indexOf("\r\n\r\n");
          head = end < 0 ? -1 : end + 4;
        }
      }
      long end = System.nanoTime();
      while (channel.read(in.clear()) >= 0) {
        continue;
      }
      return end - begin;
    }
  }

  /** One call, its answer whole. */
  String whole(String method, String path, String json) throws IOException {
    try (SocketChannel channel = SocketChannel.open(socket)) {
      send(channel, method, path, json, "Connection: close\r\n");
      ByteArrayOutputStream all = new ByteArrayOutputStream();
      ByteBuffer in = ByteBuffer.allocate(65_536);
      while (channel.read(in.clear()) >= 0) {
        all.write(in.array(), 0, in.position());
      }
      return all.toString(StandardCharsets.UTF_8);
    }
  }

  private static void send(
      SocketChannel channel, String method, String path, String json, String headers)
      throws IOException {
    String request =
        method
            + " "
            + path
            + " HTTP/1.1\r\nHost: docker\r\nContent-Type: application/json\r\nContent-Length: "
            + json.length()
            + "\r\n"
            + headers
            + "\r\n"
            + json;
    ByteBuffer bytes = ByteBuffer.wrap(request.getBytes(StandardCharsets.UTF_8));
    while (bytes.hasRemaining()) {
      channel.write(bytes);
    }
  }
}
