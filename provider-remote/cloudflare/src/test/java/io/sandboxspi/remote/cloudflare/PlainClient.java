package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.fake.cloudflare.CloudflareFake;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/** Speaks to a bridge by nothing but the JDK's clients. */
final class PlainClient {
  static final long PATIENCE = 20;

  final HttpClient http = HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();
  private final URI base;

  PlainClient(URI base) {
    this.base = base;
  }

  /** What was seen of a command. */
  record Seen(List<String> events, String stdout, String stderr, String end) {}

  HttpRequest.Builder request(String method, String path, byte[] body, String... headers) {
    HttpRequest.Builder builder =
        HttpRequest.newBuilder(URI.create(base + path))
            .method(method, HttpRequest.BodyPublishers.ofByteArray(body))
            .header("Authorization", "Bearer " + CloudflareFake.KEY);
    for (int i = 0; i < headers.length; i += 2) {
      builder.setHeader(headers[i], headers[i + 1]);
    }
    return builder;
  }

  HttpResponse<byte[]> send(String method, String path, byte[] body, String... headers)
      throws Exception {
    return http.send(
        request(method, path, body, headers).build(), HttpResponse.BodyHandlers.ofByteArray());
  }

  HttpResponse<byte[]> send(String method, String path, String body, String... headers)
      throws Exception {
    return send(method, path, body.getBytes(StandardCharsets.UTF_8), headers);
  }

  /** Status and body. */
  String said(String method, String path, String body, String... headers) throws Exception {
    HttpResponse<byte[]> response = send(method, path, body, headers);
    return response.statusCode() + " " + new String(response.body(), StandardCharsets.UTF_8);
  }

  static Seen seen(byte[] body) {
    List<String> events = new ArrayList<>();
    StringBuilder out = new StringBuilder();
    StringBuilder err = new StringBuilder();
    String end = "";
    for (String event : new String(body, StandardCharsets.UTF_8).split("\n\n")) {
      String[] lines = event.split("\n");
      if (lines.length != 2) {
        continue;
      }
      String name = lines[0].substring("event: ".length());
      String data = lines[1].substring("data: ".length());
      events.add(name);
      switch (name) {
        case "stdout" ->
            out.append(new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8));
        case "stderr" ->
            err.append(new String(Base64.getDecoder().decode(data), StandardCharsets.UTF_8));
        default -> end = data;
      }
    }
    return new Seen(events, out.toString(), err.toString(), end);
  }

  /** One connection to a terminal. */
  final class Socket implements WebSocket.Listener {
    final BlockingQueue<String> texts = new LinkedBlockingQueue<>();
    final CompletableFuture<String> closed = new CompletableFuture<>();

    /** Kinds of messages in order: b or the text. */
    final List<String> order = Collections.synchronizedList(new ArrayList<>());

    private final ByteArrayOutputStream output = new ByteArrayOutputStream();
    private final StringBuilder text = new StringBuilder();
    private WebSocket socket;

    @Override
    public CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
      text.append(data);
      if (last) {
        order.add(text.toString());
        texts.add(text.toString());
        text.setLength(0);
      }
      from.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
      byte[] bytes = new byte[data.remaining()];
      data.get(bytes);
      synchronized (output) {
        output.writeBytes(bytes);
        output.notifyAll();
      }
      order.add("b");
      from.request(1);
      return null;
    }

    @Override
    public CompletionStage<?> onClose(WebSocket from, int code, String reason) {
      closed.complete(code + " " + reason);
      return null;
    }

    @Override
    public void onError(WebSocket from, Throwable error) {
      closed.complete("error");
    }

    Socket type(String input) throws Exception {
      socket
          .sendBinary(ByteBuffer.wrap(input.getBytes(StandardCharsets.UTF_8)), true)
          .get(PATIENCE, TimeUnit.SECONDS);
      return this;
    }

    Socket say(String message) throws Exception {
      socket.sendText(message, true).get(PATIENCE, TimeUnit.SECONDS);
      return this;
    }

    String text() throws Exception {
      return String.valueOf(texts.poll(PATIENCE, TimeUnit.SECONDS));
    }

    Socket ready() throws Exception {
      String first = text();
      if (!first.equals("{\"type\":\"ready\"}")) {
        throw new AssertionError("not ready: " + first);
      }
      return this;
    }

    String output() {
      synchronized (output) {
        return output.toString(StandardCharsets.ISO_8859_1);
      }
    }

    /** Waits for output that holds this, and answers all of it. */
    String until(String part) throws Exception {
      long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(PATIENCE);
      synchronized (output) {
        while (!output().contains(part)) {
          long left = TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime());
          if (left <= 0) {
            throw new AssertionError("no '" + part + "' in: " + output());
          }
          output.wait(left);
        }
      }
      return output();
    }

    void abort() {
      socket.abort();
    }
  }

  Socket pty(String path) throws Exception {
    Socket mine = new Socket();
    mine.socket =
        http.newWebSocketBuilder()
            .header("Authorization", "Bearer " + CloudflareFake.KEY)
            .buildAsync(URI.create(base.toString().replace("http", "ws") + path), mine)
            .get(PATIENCE, TimeUnit.SECONDS);
    return mine;
  }
}
