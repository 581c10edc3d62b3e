package io.sandboxspi.bench.remote;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.e2b.E2bFake;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.net.URI;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;
import java.nio.charset.StandardCharsets;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/** The floor: the vendor's exchanges over one kept {@link SocketChannel}, and nothing around it. */
final class RawWire implements AutoCloseable {
  private static final ObjectMapper JSON = new ObjectMapper();

  /** The header that every call of the control plane has. */
  static final String KEY = "X-API-Key: " + E2bFake.KEY + "\r\n";

  /** What the process prints: long enough to be seen in base64 wherever it begins. */
  static final String WORDS = "hihihihihihihihihi";

  private static final List<String> SAID =
      Stream.of("", "x", "xx")
          .map(before -> (before + WORDS).getBytes(StandardCharsets.US_ASCII))
          .map(bytes -> Base64.getEncoder().encodeToString(bytes).substring(4, 20))
          .toList();

  private final SocketChannel channel;
  private final ByteBuffer in = ByteBuffer.allocate(65_536);

  RawWire(URI address) throws IOException {
    channel = SocketChannel.open(new InetSocketAddress(address.getHost(), address.getPort()));
    channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
  }

  /** One call, its answer whole. */
  String call(String method, String path, String headers, byte[] body) throws IOException {
    send(method, path, headers, "application/json", body);
    return answer(List.of(), new long[1]).toString(StandardCharsets.ISO_8859_1);
  }

  /** The token of a sandbox's daemon. */
  String token(String sandbox) throws IOException {
    return json(call("GET", "/sandboxes/" + sandbox, KEY, new byte[0]))
        .path("envdAccessToken")
        .asText();
  }

  private static JsonNode json(String answer) throws IOException {
    return JSON.readTree(answer.substring(answer.indexOf("\r\n\r\n") + 4));
  }

  /** From the wish to the first output of a process that prints something; read to its end. */
  long firstOutput(String headers, List<String> argv, Map<String, String> environment)
      throws IOException {
    ObjectNode start = JSON.createObjectNode();
    ObjectNode process = start.putObject("process").put("cmd", argv.get(0)).put("cwd", "/");
    argv.stream().skip(1).forEach(process.withArray("args")::add);
    ObjectNode variables = process.putObject("envs");
    environment.forEach(variables::put);
    start.put("stdin", false);
    long begin = System.nanoTime();
    byte[] json = JSON.writeValueAsBytes(start);
    byte[] frame =
        ByteBuffer.allocate(5 + json.length).put((byte) 0).putInt(json.length).put(json).array();
    send("POST", "/process.Process/Start", headers, "application/connect+json", frame);
    long[] first = new long[1];
    ByteArrayOutputStream all = answer(SAID, first);
    if (first[0] == 0) {
      throw new IOException(all.toString(StandardCharsets.ISO_8859_1));
    }
    return first[0] - begin;
  }

  private void send(String method, String path, String headers, String type, byte[] body)
      throws IOException {
    String head =
        method
            + " "
            + path
            + " HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            + headers
            + (body.length > 0 ? "Content-Type: " + type + "\r\n" : "")
            + "Content-Length: "
            + body.length
            + "\r\n\r\n";
    byte[] bytes = head.getBytes(StandardCharsets.US_ASCII);
    ByteBuffer all = ByteBuffer.allocate(bytes.length + body.length).put(bytes).put(body).flip();
    while (all.hasRemaining()) {
      channel.write(all);
    }
  }

  /** Reads an answer with a length, or one of chunks up to the last; notes when a text came. */
  private ByteArrayOutputStream answer(List<String> wanted, long[] when) throws IOException {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    while (true) {
      if (channel.read(in.clear()) < 0) {
        throw new IOException("the connection ended");
      }
      all.write(in.array(), 0, in.position());
      String text = all.toString(StandardCharsets.ISO_8859_1);
      if (when[0] == 0 && wanted.stream().anyMatch(text::contains)) {
        when[0] = System.nanoTime();
      }
      int head = text.indexOf("\r\n\r\n");
      if (head > 0) {
        String fields = text.substring(0, head).toLowerCase(java.util.Locale.ROOT);
        int length = fields.indexOf("content-length:");
        boolean whole =
            length > 0
                ? text.length() - head - 4
                    >= Integer.parseInt(fields.substring(length + 15).split("\r\n", 2)[0].strip())
                : fields.contains(" 204") || text.endsWith("\r\n0\r\n\r\n");
        if (whole) {
          return all;
        }
      }
    }
  }

  @Override
  public void close() throws IOException {
    channel.close();
  }
}
