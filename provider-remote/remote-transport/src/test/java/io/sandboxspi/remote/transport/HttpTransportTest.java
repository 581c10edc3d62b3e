package io.sandboxspi.remote.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.Retryable;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.ServerSocket;
import java.net.URI;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class HttpTransportTest extends OnTestServer {
  private static final Secret KEY = Secret.of("key", "s3cr3t-t0ken");

  HttpTransportTest() {
    super(new RetryPolicy(3, Duration.ofMillis(10), Duration.ofMillis(50)));
  }

  private static Deadline millis(int value) {
    return Deadline.after(Duration.ofMillis(value));
  }

  private HttpCall get(URI uri) {
    return HttpCall.of("asking", "GET", uri).secret("X-Key", KEY);
  }

  private HttpCall post(URI uri) {
    return HttpCall.of("starting", "POST", uri).secret("Authorization", "Bearer ", KEY);
  }

  private RemoteException fails(HttpCall call, Deadline deadline) {
    RemoteException failure =
        catchThrowableOfType(RemoteException.class, () -> transport.call(call, deadline));
    assertThat(failure).isNotNull();
    StringWriter text = new StringWriter();
    failure.printStackTrace(new PrintWriter(text));
    assertThat(
            text.toString()
                + failure
                    .as(io.sandboxspi.ErrorCode.TRANSPORT, io.sandboxspi.Operation.CREATE)
                    .build()
                    .context())
        .doesNotContain(KEY.reveal());
    return failure;
  }

  @Test
  void headersBodiesAndAnswersArriveWhole() throws Exception {
    URI uri =
        server.on(
            "/echo",
            x ->
                x.status(201)
                    .header("X-Got", x.header("Authorization") + " " + x.header("Content-Type"))
                    .write("{\"size\":" + x.body().length + "}"));
    HttpReply reply = transport.call(post(uri).json(Json.object().put("a", "é")), seconds(5));
    assertThat(reply.status()).isEqualTo(201);
    assertThat(reply.header("x-got")).contains("Bearer " + KEY.reveal() + " application/json");
    assertThat(reply.object().path("size").asInt())
        .isEqualTo("{\"a\":\"é\"}".getBytes(UTF_8).length);
    assertThat(reply.toString() + post(uri)).doesNotContain("size", KEY.reveal());
  }

  @Test
  void connectionsAreUsedAgain() throws Exception {
    URI uri = server.on("/", x -> x.write("{}"));
    for (int i = 0; i < 20; i++) {
      assertThat(transport.call(get(uri), seconds(5)).object()).isEmpty();
    }
    assertThat(server.connections()).isEqualTo(1);
  }

  @Test
  void aSilentPeerIsATimeoutThatFreesTheConnection() throws Exception {
    CompletableFuture<Boolean> gone = new CompletableFuture<>();
    URI uri = server.on("/", x -> gone.complete(x.peerGone()));
    RemoteException failure = fails(post(uri), millis(300));
    assertThat(failure.kind()).isEqualTo(Kind.TIMEOUT);
    assertThat(failure.retryable()).isEqualTo(Retryable.UNKNOWN);
    assertThat(gone.get(15, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void theDeadlineCoversTheBody() throws Exception {
    URI uri =
        server.on(
            "/",
            x -> {
              x.header("Content-Length", "100").write("{");
              boolean unused = x.peerGone();
            });
    assertThat(fails(get(uri), millis(500)).kind()).isEqualTo(Kind.TIMEOUT);
    assertThat(server.connectionsBecome(0)).isTrue();
  }

  @Test
  void anInterruptEndsTheCallAndFreesTheConnection() throws Exception {
    CountDownLatch inside = new CountDownLatch(1);
    CompletableFuture<Boolean> gone = new CompletableFuture<>();
    URI uri =
        server.on(
            "/",
            x -> {
              inside.countDown();
              gone.complete(x.peerGone());
            });
    CompletableFuture<Throwable> seen = new CompletableFuture<>();
    Thread caller =
        new Thread(
            () -> seen.complete(catchThrowable(() -> transport.call(post(uri), seconds(60)))));
    caller.start();
    assertThat(inside.await(5, TimeUnit.SECONDS)).isTrue();
    caller.interrupt();
    assertThat(seen.get(5, TimeUnit.SECONDS)).isInstanceOf(InterruptedException.class);
    assertThat(gone.get(15, TimeUnit.SECONDS)).isTrue();
  }

  @Test
  void aCallThatStartsSomethingIsSentOnce() throws Exception {
    URI uri = server.on("/", TestServer.Exchange::cut);
    RemoteException failure = fails(post(uri), seconds(5));
    assertThat(failure.kind()).isEqualTo(Kind.BROKEN);
    assertThat(failure.retryable()).isEqualTo(Retryable.UNKNOWN);
    assertThat(server.requests).hasValue(1);
    URI busy = server.on("/busy", x -> x.status(429).header("Retry-After", "0"));
    assertThat(fails(post(busy), seconds(5)).status()).isEqualTo(429);
    assertThat(server.requests).hasValue(2);
  }

  @ParameterizedTest
  @ValueSource(ints = {429, 502, 503, 504})
  void aSafeCallIsSentAgain(int status) throws Exception {
    AtomicInteger n = new AtomicInteger();
    URI uri =
        server.on("/", x -> x.status(n.incrementAndGet() < 3 ? status : 200).write("{\"a\":1}"));
    assertThat(transport.call(get(uri), seconds(5)).object().path("a").asInt()).isEqualTo(1);
    assertThat(server.requests).hasValue(3);
  }

  @Test
  void aRefusedCallIsSentAgainIfThatIsAllowed() throws Exception {
    AtomicInteger n = new AtomicInteger();
    URI uri = server.on("/", x -> x.status(n.incrementAndGet() < 2 ? 429 : 201).write("{}"));
    assertThat(transport.call(post(uri).repeat(Repeat.REFUSED), seconds(5)).status())
        .isEqualTo(201);
    URI unsure = server.on("/unsure", x -> x.status(502));
    assertThat(fails(post(unsure).repeat(Repeat.REFUSED), seconds(5)).status()).isEqualTo(502);
    assertThat(server.requests).hasValue(3);
  }

  @Test
  void thePeersWishToWaitCountsAndIsToldWhenItIsTooLong() throws Exception {
    AtomicInteger n = new AtomicInteger();
    URI uri =
        server.on(
            "/", x -> x.status(n.incrementAndGet() < 2 ? 429 : 200).header("Retry-After", "1"));
    long begin = System.nanoTime();
    assertThat(transport.call(get(uri), seconds(10)).status()).isEqualTo(200);
    assertThat(System.nanoTime() - begin).isGreaterThan(Duration.ofMillis(900).toNanos());
    URI later =
        server.on("/later", x -> x.status(429).header("Retry-After-sandbox-create", "3600"));
    RemoteException failure = fails(get(later), seconds(5));
    assertThat(failure.retryAfter()).contains(Duration.ofHours(1));
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
    URI date =
        server.on(
            "/date", x -> x.status(503).header("Retry-After", "Wed, 21 Oct 2099 07:28:00 GMT"));
    assertThat(fails(get(date), seconds(5)).retryAfter().orElseThrow())
        .isGreaterThan(Duration.ofDays(1000));
  }

  @Test
  void aDateToWaitForCountsByThePeersClock() throws Exception {
    // A peer whose clock is years behind.
    URI uri =
        server.on(
            "/",
            x ->
                x.status(429)
                    .header("Date", "Wed, 21 Oct 2015 07:28:00 GMT")
                    .header("Retry-After", "Wed, 21 Oct 2015 08:28:00 GMT"));
    assertThat(fails(get(uri), seconds(5)).retryAfter()).contains(Duration.ofHours(1));
  }

  @Test
  void aRefusalHasTheVendorsCodeRequestIdAndWords() throws Exception {
    URI uri =
        server.on(
            "/",
            x ->
                x.status(403)
                    .header("X-Request-Id", "req-77")
                    .write(
                        "{\"code\":403,\"error_code\":\"plan_blocked\",\"message\":\"no: "
                            + KEY.reveal()
                            + "\\n is blocked\"}"));
    RemoteException failure = fails(get(uri), seconds(5));
    assertThat(failure.kind()).isEqualTo(Kind.REFUSED);
    assertThat(failure.status()).isEqualTo(403);
    assertThat(failure.code()).isEqualTo("plan_blocked");
    assertThat(failure.requestId()).isEqualTo("req-77");
    assertThat(failure).hasMessage("asking: refused with status 403: no: ***  is blocked");
    assertThat(failure.retryable()).isEqualTo(Retryable.NO);
  }

  @ParameterizedTest
  @ValueSource(strings = {"<html><body>login</body></html>", "not json", "", "{\"a\":", "[1]"})
  void whatIsNotAnObjectOfJsonIsMalformed(String body) throws Exception {
    URI uri = server.on("/", x -> x.write(body));
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class, () -> transport.call(get(uri), seconds(5)).object());
    assertThat(failure.kind()).isEqualTo(Kind.MALFORMED);
    assertThat(failure).hasMessageNotContaining("login");
    if (body.startsWith("<")) {
      assertThat(failure).hasMessageContaining("HTML");
      URI proxy = server.on("/proxy", x -> x.status(502).write(body));
      assertThat(fails(post(proxy), seconds(5))).hasMessageContaining("proxy");
    }
  }

  @Test
  void aRedirectIsARefusalAndNotFollowed() throws Exception {
    URI uri =
        server.on("/", x -> x.status(307).header("Location", server.uri("/other").toString()));
    assertThat(fails(get(uri), seconds(5)).status()).isEqualTo(307);
    assertThat(server.requests).hasValue(1);
  }

  @Test
  void anAnswerThatEndsTooEarlyIsBroken() throws Exception {
    URI uri =
        server.on(
            "/",
            x -> {
              x.header("Content-Length", "100").write("{\"a\":");
              x.cut();
            });
    assertThat(fails(post(uri), seconds(5)).kind()).isEqualTo(Kind.BROKEN);
    URI chunked =
        server.on(
            "/chunked",
            x -> {
              x.write("{\"a\":");
              x.cut();
            });
    assertThat(fails(post(chunked), seconds(5)).kind()).isEqualTo(Kind.BROKEN);
  }

  @Test
  void anEndlessAnswerIsTooLarge() throws Exception {
    byte[] chunk = new byte[1 << 16];
    URI uri =
        server.on(
            "/",
            x -> {
              for (int i = 0; i < 1600; i++) {
                x.write(chunk);
              }
            });
    assertThat(fails(post(uri).limit(1 << 20), seconds(20)).kind()).isEqualTo(Kind.TOO_LARGE);
    URI told = server.on("/told", x -> x.header("Content-Length", "104857600").write(chunk));
    assertThat(fails(post(told), seconds(5)).kind()).isEqualTo(Kind.TOO_LARGE);
    assertThat(server.connectionsBecome(0)).isTrue();
  }

  @Test
  void whatCannotBeReachedWasNotSent() throws Exception {
    int port;
    try (ServerSocket closed = new ServerSocket(0)) {
      port = closed.getLocalPort();
    }
    RemoteException failure =
        fails(post(URI.create("http://localhost:" + port + "/?token=abc")), seconds(5));
    assertThat(failure.kind()).isEqualTo(Kind.UNREACHABLE);
    assertThat(failure.retryable()).isEqualTo(Retryable.YES);
    assertThat(failure).hasMessageNotContaining("abc");
    assertThat(fails(post(URI.create("http://no-such-host.invalid/")), seconds(20)).kind())
        .isEqualTo(Kind.UNREACHABLE);
    assertThat(fails(post(server.uri("/")), Deadline.after(Duration.ZERO)).retryable())
        .isEqualTo(Retryable.YES);
    assertThat(server.requests).hasValue(0);
  }

  @Test
  void uploadsAndDownloadsStream() throws Exception {
    byte[] content = new byte[9_000_000];
    for (int i = 0; i < content.length; i++) {
      content[i] = (byte) (i * 31 + i / 251);
    }
    CompletableFuture<byte[]> got = new CompletableFuture<>();
    URI up = server.on("/up", x -> got.complete(x.body()));
    HttpCall upload =
        post(up).upload("application/octet-stream", new ByteArrayInputStream(content));
    assertThat(transport.call(upload, seconds(30)).status()).isEqualTo(200);
    assertThat(Arrays.equals(got.get(5, TimeUnit.SECONDS), content)).isTrue();
    URI down = server.on("/down", x -> x.write(content));
    try (InputStream in = transport.download(get(down), Duration.ofSeconds(5), seconds(5))) {
      assertThat(Arrays.equals(in.readAllBytes(), content)).isTrue();
    }
  }

  @Test
  void anUploadWhoseContentCannotBeReadSaysSo() throws Exception {
    URI uri = server.on("/", x -> x.body());
    InputStream broken =
        new InputStream() {
          @Override
          public int read() throws IOException {
            throw new IOException("disk");
          }

          @Override
          public int read(byte[] into, int offset, int length) throws IOException {
            throw new IOException("disk");
          }
        };
    RemoteException failure = fails(post(uri).upload("a/b", broken), seconds(5));
    assertThat(failure.kind()).isEqualTo(Kind.CLOSED);
    assertThat(failure).rootCause().hasMessage("disk");
  }

  @Test
  void aDownloadThatStallsOrIsCutFails() throws Exception {
    URI stall =
        server.on(
            "/stall",
            x -> {
              x.write("abc");
              boolean unused = x.peerGone();
            });
    try (InputStream in = transport.download(get(stall), Duration.ofMillis(500), seconds(5))) {
      assertThat(in.readNBytes(3)).hasSize(3);
      assertThat(catchThrowable(in::read)).hasMessageContaining("nothing came");
    }
    URI cut =
        server.on(
            "/cut",
            x -> {
              x.header("Content-Length", "10").write("abc");
              x.cut();
            });
    try (InputStream in = transport.download(get(cut), Duration.ofSeconds(5), seconds(5))) {
      assertThat(catchThrowable(in::readAllBytes)).hasMessageContaining("broke");
    }
    URI missing = server.on("/missing", x -> x.status(404).write("{\"message\":\"no file\"}"));
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class,
            () -> transport.download(get(missing), Duration.ofSeconds(5), seconds(5)));
    assertThat(failure).hasMessageContaining("no file");
    assertThat(server.connectionsBecome(1)).isTrue();
  }

  @Test
  void aClosedDownloadFreesItsConnection() throws Exception {
    byte[] chunk = new byte[1 << 16];
    URI uri =
        server.on(
            "/",
            x -> {
              for (int i = 0; i < 10_000; i++) {
                x.write(chunk);
              }
            });
    try (InputStream in = transport.download(get(uri), Duration.ofSeconds(5), seconds(5))) {
      assertThat(in.read()).isEqualTo(0);
    }
    assertThat(server.connectionsBecome(0)).isTrue();
  }
}
