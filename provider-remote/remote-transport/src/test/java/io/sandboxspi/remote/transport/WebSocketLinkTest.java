package io.sandboxspi.remote.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.eclipse.jetty.websocket.api.Callback;
import org.eclipse.jetty.websocket.api.Session;
import org.junit.jupiter.api.Test;

class WebSocketLinkTest extends OnTestServer {
  private WebSocketLink open(WebSocketOptions options) throws InterruptedException {
    HttpCall call =
        HttpCall.of("listening", "GET", server.socket())
            .secret("X-Key", Secret.of("key", "s3cret"));
    return transport.webSocket(call, options, heard, seconds(10));
  }

  private static void text(Session session, String text, boolean last) throws Exception {
    Callback.Completable done = new Callback.Completable();
    session.sendPartialText(text, last, done);
    done.get(10, TimeUnit.SECONDS);
  }

  @Test
  void whatWasTakenIsAnsweredInOrder() throws Exception {
    CountDownLatch gate = new CountDownLatch(1);
    server.script =
        (session, message) -> {
          if (message.equals("busy")) {
            gate.await();
          }
        };
    try (WebSocketLink link = open(WebSocketOptions.DEFAULT)) {
      assertThat(link.taken().get(10, TimeUnit.SECONDS)).isTrue();
      link.sendText("busy", seconds(5));
      CompletableFuture<Boolean> taken = link.taken();
      assertThat(catchThrowable(() -> taken.get(500, TimeUnit.MILLISECONDS)))
          .isInstanceOf(TimeoutException.class);
      gate.countDown();
      assertThat(taken.get(10, TimeUnit.SECONDS)).isTrue();
      link.close();
      assertThat(link.taken()).failsWithin(Duration.ofSeconds(10));
    }
  }

  @Test
  void fragmentsAreOneMessageAndTheCloseHasItsReason() throws Exception {
    server.script =
        (session, message) -> {
          if (message.equals("go")) {
            text(session, "one ", false);
            text(session, "é ", false);
            text(session, "three", true);
            session.sendBinary(ByteBuffer.wrap("bin".getBytes()), Callback.NOOP);
            TestServer.close(session, 1011, "{\"exitCode\":3}");
          }
        };
    try (WebSocketLink link = open(WebSocketOptions.DEFAULT.subprotocols(List.of("a~b", "c")))) {
      assertThat(link.subprotocol()).isEqualTo("a~b");
      link.sendText("go", seconds(5));
      assertThat(heard.end()).isEqualTo(new WebSocketEnd.Closed(1011, "{\"exitCode\":3}"));
      assertThat(heard.messages()).containsExactly("one é three", "bin");
    }
    assertThat(heard.ends).hasValue(1);
    assertThat(heard.overlapped).isFalse();
  }

  @Test
  void manySendersSendOneAfterAnother() throws Exception {
    List<String> got = Collections.synchronizedList(new ArrayList<>());
    CountDownLatch all = new CountDownLatch(200);
    server.script =
        (session, message) -> {
          if (!message.equals("open")) {
            got.add(message);
            all.countDown();
          }
        };
    try (WebSocketLink link = open(WebSocketOptions.DEFAULT)) {
      List<CompletableFuture<?>> senders = new ArrayList<>();
      for (int s = 0; s < 4; s++) {
        int mine = s;
        senders.add(
            CompletableFuture.runAsync(
                () -> {
                  try {
                    for (int i = 0; i < 50; i++) {
                      if (mine % 2 == 0) {
                        link.sendText(mine + " " + i, seconds(10));
                      } else {
                        link.sendBinary(ByteBuffer.wrap((mine + " " + i).getBytes()), seconds(10));
                      }
                    }
                  } catch (InterruptedException e) {
                    throw new IllegalStateException(e);
                  }
                }));
      }
      CompletableFuture.allOf(senders.toArray(CompletableFuture[]::new)).get(20, TimeUnit.SECONDS);
      assertThat(all.await(10, TimeUnit.SECONDS)).isTrue();
    }
    assertThat(got).hasSize(200);
    assertThat(got.stream().filter(m -> m.startsWith("0 ")).toList())
        .isEqualTo(java.util.stream.IntStream.range(0, 50).mapToObj(i -> "0 " + i).toList());
  }

  @Test
  void aSendThatIsNotTakenIsBoundedAndTheNextWaitsForIt() throws Exception {
    CountDownLatch go = new CountDownLatch(1);
    server.script =
        (session, message) -> {
          if (message.startsWith("stop")) {
            boolean unused = go.await(20, TimeUnit.SECONDS);
          } else if (message.startsWith("last")) {
            TestServer.close(session, 1000, "done");
          }
        };
    String big = "x".repeat(30_000_000);
    try (WebSocketLink link = open(WebSocketOptions.DEFAULT)) {
      link.sendText("stop", seconds(5));
      RemoteException failure =
          catchThrowableOfType(
              RemoteException.class,
              () -> link.sendText(big, Deadline.after(Duration.ofMillis(500))));
      assertThat(failure.kind()).isEqualTo(Kind.TIMEOUT);
      go.countDown();
      link.sendText("last", seconds(20));
      assertThat(heard.end()).isEqualTo(new WebSocketEnd.Closed(1000, "done"));
    }
  }

  @Test
  void aMessageThatIsTooLongEndsTheSocket() throws Exception {
    server.script =
        (session, message) -> {
          for (int i = 0; message.equals("open") && i < 1600 && session.isOpen(); i++) {
            text(session, "x".repeat(1 << 16), false);
          }
        };
    try (WebSocketLink link = open(WebSocketOptions.DEFAULT)) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.TOO_LARGE);
    }
    assertThat(server.connectionsBecome(0)).isTrue();
    assertThat(heard.messages()).isEmpty();
  }

  @Test
  void aRefusedHandshakeIsTyped() {
    HttpCall call =
        HttpCall.of("listening", "GET", server.socket())
            .header("X-Refuse", "1")
            .secret("X-Key", Secret.of("key", "s3cret"));
    RemoteException failure =
        catchThrowableOfType(
            RemoteException.class,
            () -> transport.webSocket(call, WebSocketOptions.DEFAULT, heard, seconds(10)));
    assertThat(failure.refusedWith(409)).isTrue();
    assertThat(heard.ends).hasValue(0);
  }

  @Test
  void aPeerThatAnswersPingsMayBeSilentAndOneThatIsCutMayNot() throws Exception {
    CompletableFuture<Session> peer = new CompletableFuture<>();
    server.script = (session, message) -> peer.complete(session);
    try (WebSocketLink link =
        open(WebSocketOptions.DEFAULT.watch(Duration.ofMillis(200), Duration.ofSeconds(2)))) {
      boolean unused = new CountDownLatch(1).await(3, TimeUnit.SECONDS);
      assertThat(heard.ends).hasValue(0);
      link.sendText("still here", seconds(5));
      peer.get(5, TimeUnit.SECONDS).disconnect();
      assertThat(heard.end())
          .satisfiesAnyOf(
              end -> assertThat(end).isEqualTo(new WebSocketEnd.Closed(1006, "")),
              end -> assertThat(((RemoteException) end).kind()).isEqualTo(Kind.BROKEN));
    }
  }

  @Test
  void aCutRightBehindAMessageIsAnEnd() throws Exception {
    CountDownLatch cut = new CountDownLatch(1);
    server.script =
        (session, message) -> {
          if (message.equals("go")) {
            text(session, "last", true);
            session.disconnect();
            cut.countDown();
          }
        };
    heard.during =
        () -> {
          try {
            // The end is to come while the message is here, of which the JDK tells nothing.
            boolean unused = cut.await(10, TimeUnit.SECONDS);
            boolean late = new CountDownLatch(1).await(300, TimeUnit.MILLISECONDS);
          } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
          }
        };
    try (WebSocketLink link = open(WebSocketOptions.DEFAULT)) {
      link.sendText("go", seconds(5));
      assertThat(heard.end())
          .satisfiesAnyOf(
              end -> assertThat(end).isEqualTo(new WebSocketEnd.Closed(1006, "")),
              end -> assertThat(((RemoteException) end).kind()).isEqualTo(Kind.BROKEN));
      assertThat(heard.messages()).containsExactly("last");
    }
    assertThat(heard.ends).hasValue(1);
  }

  @Test
  void aPeerThatAnswersNothingIsStalled() throws Exception {
    // Without pings nothing comes at all.
    try (WebSocketLink link =
        open(WebSocketOptions.DEFAULT.watch(Duration.ofSeconds(60), Duration.ofMillis(400)))) {
      assertThat(heard.failure().kind()).isEqualTo(Kind.STALLED);
    }
    assertThat(server.connectionsBecome(0)).isTrue();
    assertThat(heard.ends).hasValue(1);
  }

  @Test
  void aListenerThatHadEnoughHearsNothingMoreBeforeItAsks() throws Exception {
    server.script =
        (session, message) -> {
          for (int i = 0; message.equals("open") && i < 10; i++) {
            text(session, "m" + i, true);
          }
        };
    heard.pauseEach = true;
    try (WebSocketLink link = open(WebSocketOptions.DEFAULT)) {
      for (int i = 1; i <= 10; i++) {
        heard.awaitCalls(i);
        assertThat(heard.messages()).hasSize(i);
        link.resume();
      }
    }
    assertThat(heard.ends).hasValue(0);
  }
}
