package io.sandboxspi.remote.transport;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.io.ByteArrayOutputStream;
import java.net.URI;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Streams, and Connect frames on them. */
class StreamTest extends OnTestServer {
  private static final Duration LONG = Duration.ofSeconds(20);

  private OpenStream open(URI uri, StreamListener listener, Duration idle) throws Exception {
    return transport.stream(
        HttpCall.of("listening", "POST", uri), listener, idle, Deadline.after(LONG));
  }

  private ConnectFrames frames() {
    return new ConnectFrames("listening", 1 << 20, heard);
  }

  private static byte[] frame(int flags, String json) {
    byte[] bytes = json.getBytes(UTF_8);
    return ByteBuffer.allocate(5 + bytes.length)
        .put((byte) flags)
        .putInt(bytes.length)
        .put(bytes)
        .array();
  }

  @Test
  void bytesComeInOrderAndTheEndOnce() throws Exception {
    byte[] chunk = new byte[50_000];
    Arrays.fill(chunk, (byte) 'x');
    URI uri =
        server.on(
            "/",
            x -> {
              for (int i = 0; i < 40; i++) {
                x.write(chunk);
              }
            });
    try (OpenStream stream = open(uri, heard, LONG)) {
      assertThat(heard.end()).isEqualTo("end");
    }
    assertThat(heard.bytes()).hasSize(2_000_000);
    assertThat(heard.ends).hasValue(1);
    assertThat(heard.overlapped).isFalse();
  }

  @Test
  void aListenerThatHadEnoughSlowsThePeerAndLosesNothing() throws Exception {
    byte[] chunk = new byte[1 << 20];
    CountDownLatch written = new CountDownLatch(1);
    URI uri =
        server.on(
            "/",
            x -> {
              for (int i = 0; i < 24; i++) {
                x.write(chunk);
              }
              written.countDown();
            });
    heard.pauseEach = true;
    try (OpenStream stream = open(uri, heard, Duration.ofMillis(400))) {
      heard.awaitCalls(1);
      // Longer than the idle limit: silence of one's own making is none.
      assertThat(written.await(1, TimeUnit.SECONDS)).isFalse();
      assertThat(heard.calls).hasValue(1);
      heard.pauseEach = false;
      stream.resume();
      assertThat(heard.end()).isEqualTo("end");
    }
    assertThat(heard.bytes()).hasSize(24 << 20);
  }

  @Test
  void silenceIsAStallThatFreesTheConnection() throws Exception {
    URI uri =
        server.on(
            "/",
            x -> {
              x.write("a");
              boolean unused = x.peerGone();
            });
    try (OpenStream stream = open(uri, heard, Duration.ofMillis(300))) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.STALLED);
      assertThat(server.connectionsBecome(0)).isTrue();
    }
    assertThat(heard.ends).hasValue(1);
  }

  @Test
  void aCutIsBrokenAndACloseSaysNothing() throws Exception {
    URI cut =
        server.on(
            "/cut",
            x -> {
              x.write("a");
              x.cut();
            });
    try (OpenStream stream = open(cut, heard, LONG)) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.BROKEN);
    }
    Heard other = new Heard();
    URI quiet =
        server.on(
            "/quiet",
            x -> {
              x.write("a");
              boolean unused = x.peerGone();
            });
    OpenStream stream = open(quiet, other, LONG);
    other.awaitCalls(1);
    stream.close();
    stream.close();
    assertThat(server.connectionsBecome(0)).isTrue();
    assertThat(other.ends).hasValue(0);
  }

  @Test
  void aRefusedStreamHasTheRefusalsText() throws Exception {
    URI uri =
        server.on("/", x -> x.status(502).write("{\"code\":502,\"message\":\"was not found\"}"));
    RemoteException failure =
        catchThrowableOfType(RemoteException.class, () -> open(uri, heard, LONG).close());
    assertThat(failure).hasMessageContaining("was not found");
    assertThat(ConnectCode.of(failure)).isEqualTo(ConnectCode.UNAVAILABLE);
    assertThat(heard.ends).hasValue(0);
  }

  @ParameterizedTest
  @ValueSource(ints = {1, 3, 7, 100_000})
  void framesAreReadHoweverTheyAreCut(int size) throws Exception {
    ByteArrayOutputStream all = new ByteArrayOutputStream();
    all.writeBytes(ConnectFrames.envelope(Json.object().put("n", 1)));
    all.writeBytes(frame(0, "{\"text\":\"é\"}"));
    all.writeBytes(frame(0, "{}"));
    all.writeBytes(frame(2, "{}"));
    byte[] bytes = all.toByteArray();
    ConnectFrames frames = frames();
    for (int at = 0; at < bytes.length; at += size) {
      assertThat(frames.onBytes(ByteBuffer.wrap(bytes, at, Math.min(size, bytes.length - at))))
          .isTrue();
    }
    assertThat(heard.messages()).containsExactly("{\"n\":1}", "{\"text\":\"é\"}", "{}");
    assertThat(heard.end()).isEqualTo("end");
    frames.onEnd(java.util.Optional.empty());
    assertThat(heard.ends).hasValue(1);
  }

  @Test
  void aRefusalInTheLastFrameHasItsCode() throws Exception {
    URI uri =
        server.on(
            "/",
            x ->
                x.write(
                    frame(2, "{\"error\":{\"code\":\"not_found\",\"message\":\"no process\"}}")));
    try (OpenStream stream = open(uri, frames(), LONG)) {
      RemoteException failure = heard.failure();
      assertThat(failure.code()).isEqualTo(ConnectCode.NOT_FOUND);
      assertThat(failure.status()).isEqualTo(404);
      assertThat(failure).hasMessageContaining("no process");
    }
  }

  @Test
  void anEndWithoutTheLastFrameIsBroken() throws Exception {
    URI uri = server.on("/", x -> x.write(frame(0, "{}")));
    try (OpenStream stream = open(uri, frames(), LONG)) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.BROKEN);
    }
  }

  @Test
  void aTruncatedFrameIsBroken() throws Exception {
    URI uri =
        server.on(
            "/",
            x -> {
              x.write(Arrays.copyOf(frame(0, "{\"a\":1}"), 8));
              x.cut();
            });
    try (OpenStream stream = open(uri, frames(), LONG)) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.BROKEN);
    }
    assertThat(heard.messages()).isEmpty();
  }

  @Test
  void aFrameOf100MebibytesIsRefusedAtItsHead() throws Exception {
    URI uri =
        server.on(
            "/",
            x -> {
              x.write(ByteBuffer.allocate(5).put((byte) 0).putInt(100 << 20).array());
              boolean unused = x.peerGone();
            });
    try (OpenStream stream = open(uri, frames(), LONG)) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.TOO_LARGE);
      assertThat(server.connectionsBecome(0)).isTrue();
    }
  }

  @ParameterizedTest
  @ValueSource(strings = {"1{}", "4{}", "0nonsense", "0[]", "2[]"})
  void aFrameThatIsNotUnderstoodIsMalformed(String text) throws Exception {
    URI uri =
        server.on(
            "/", x -> x.write(frame(Integer.parseInt(text.substring(0, 1)), text.substring(1))));
    try (OpenStream stream = open(uri, frames(), LONG)) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.MALFORMED);
    }
    assertThat(heard.ends).hasValue(1);
  }

  @Test
  void aFrameIsKeptForAListenerThatHadEnough() throws Exception {
    URI uri =
        server.on(
            "/",
            x -> {
              ByteArrayOutputStream all = new ByteArrayOutputStream();
              for (int i = 0; i < 5; i++) {
                all.writeBytes(frame(0, "{\"n\":" + i + "}"));
              }
              all.writeBytes(frame(2, "{}"));
              x.write(all.toByteArray());
            });
    heard.pauseEach = true;
    try (OpenStream stream = open(uri, frames(), LONG)) {
      for (int i = 1; i <= 5; i++) {
        heard.awaitCalls(i);
        assertThat(heard.messages()).hasSize(i);
        stream.resume();
      }
      assertThat(heard.end()).isEqualTo("end");
    }
  }
}
