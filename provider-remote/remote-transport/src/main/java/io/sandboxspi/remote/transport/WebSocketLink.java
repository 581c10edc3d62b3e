package io.sandboxspi.remote.transport;

import io.sandboxspi.Registration;
import io.sandboxspi.core.time.Callback;
import io.sandboxspi.core.time.EngineClock;
import io.sandboxspi.remote.transport.RemoteException.Kind;
import io.sandboxspi.spi.Deadline;
import java.net.http.HttpClient;
import java.net.http.WebSocket;
import java.net.http.WebSocketHandshakeException;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Executor;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * An open WebSocket: whole messages, one send at a time, pings, an end that is told once.
 * Thread-safe.
 *
 * <p>The JDK tells of no end at all when the connection is cut right behind a message that is still
 * being handed on. So a send that fails is an end too, and pings come soon after the last message.
 */
public final class WebSocketLink implements AutoCloseable {
  private static final Logger LOG = LoggerFactory.getLogger(WebSocketLink.class);
  private static final int NORMAL = 1000;
  private static final Duration FIRST_PING = Duration.ofSeconds(1);

  private final HttpCall call;
  private final WebSocketOptions options;
  private final Receiver receiver;
  private final WebSocket socket;
  private final Semaphore turn = new Semaphore(1, true);
  private final AtomicLong pings = new AtomicLong();
  // Guarded by pings.
  private CompletableFuture<?> lastPing = CompletableFuture.completedFuture(true);
  private volatile Registration nextPing = () -> {};
  private volatile Duration pause = FIRST_PING;
  private volatile long heard;
  private volatile boolean leaving;

  private WebSocketLink(
      HttpCall call, WebSocketOptions options, Receiver receiver, WebSocket socket) {
    this.call = call;
    this.options = options;
    this.receiver = receiver;
    this.socket = socket;
  }

  static WebSocketLink open(
      HttpClient client,
      String userAgent,
      ErrorBody.Reader errors,
      Executor executor,
      HttpCall call,
      WebSocketOptions options,
      WebSocketListener listener,
      Deadline deadline)
      throws InterruptedException {
    if (deadline.expired()) {
      throw new RemoteException(
          Kind.UNREACHABLE, call.what() + ": the deadline had passed before it was sent");
    }
    WebSocket.Builder builder =
        client
            .newWebSocketBuilder()
            .connectTimeout(deadline.remaining())
            .header("User-Agent", userAgent);
    call.headers().keySet().forEach(name -> builder.header(name, call.value(name)));
    List<String> protocols = options.subprotocols();
    if (!protocols.isEmpty()) {
      builder.subprotocols(
          protocols.get(0), protocols.subList(1, protocols.size()).toArray(String[]::new));
    }
    Receiver receiver = new Receiver(call, options, listener, executor);
    CompletableFuture<WebSocket> opening = builder.buildAsync(call.uri(), receiver);
    boolean opened = false;
    try {
      WebSocket socket = opening.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
      WebSocketLink link = new WebSocketLink(call, options, receiver, socket);
      link.armPing();
      opened = true;
      return link;
    } catch (TimeoutException e) {
      throw Failures.timeout(call);
    } catch (ExecutionException e) {
      throw e.getCause() instanceof WebSocketHandshakeException refused
          ? refusal(call, refused, errors)
          : Failures.of(call, e);
    } finally {
      if (!opened) {
        receiver.abort();
        Callback.when(
            opening,
            (late, failure) -> {
              if (late != null) {
                late.abort();
              }
            });
        boolean unused = opening.cancel(true);
      }
    }
  }

  private static RemoteException refusal(
      HttpCall call, WebSocketHandshakeException refused, ErrorBody.Reader errors) {
    if (refused.getResponse() == null) {
      return Failures.of(call, refused);
    }
    Object body = refused.getResponse().body();
    byte[] bytes =
        body instanceof String text
            ? text.getBytes(java.nio.charset.StandardCharsets.UTF_8)
            : body instanceof byte[] plain ? plain : new byte[0];
    return Failures.refused(
        call, refused.getResponse().statusCode(), refused.getResponse().headers(), bytes, errors);
  }

  /** The subprotocol that the peer chose; empty for none. */
  public String subprotocol() {
    return socket.getSubprotocol();
  }

  /**
   * Sends a text message.
   *
   * @throws RemoteException {@link Kind#TIMEOUT} when it was not taken in time: it may still be
   *     sent whole, later sends wait for it
   */
  public void sendText(String message, Deadline deadline) throws InterruptedException {
    send(() -> socket.sendText(message, true), deadline);
  }

  /** Sends a binary message, as {@link #sendText}. */
  public void sendBinary(ByteBuffer message, Deadline deadline) throws InterruptedException {
    ByteBuffer copy = ByteBuffer.allocate(message.remaining()).put(message).flip();
    send(() -> socket.sendBinary(copy, true), deadline);
  }

  /**
   * Completes when the peer has taken all that was sent before: it reads one message after another,
   * and answers this question when it is its turn. Fails when the socket ends.
   */
  public CompletableFuture<Boolean> taken() {
    long number = pings.incrementAndGet();
    CompletableFuture<Boolean> answer = receiver.expect(number);
    synchronized (pings) {
      lastPing = lastPing.handle((done, failure) -> true).thenCompose(before -> sendPing(number));
      Callback.when(
          lastPing,
          (done, failure) -> {
            if (failure != null) {
              boolean unused = answer.completeExceptionally(Failures.of(call, failure));
              broke(failure);
            }
          });
    }
    return answer;
  }

  private CompletableFuture<WebSocket> sendPing(long number) {
    return begin(() -> socket.sendPing(ByteBuffer.allocate(Long.BYTES).putLong(number).flip()));
  }

  private void send(Supplier<CompletableFuture<WebSocket>> action, Deadline deadline)
      throws InterruptedException {
    if (!turn.tryAcquire(deadline.remainingNanos(), TimeUnit.NANOSECONDS)) {
      throw unsent();
    }
    CompletableFuture<WebSocket> sent = begin(action);
    // Not when the wait ends: the next send must wait until this one is out.
    Callback.when(
        sent,
        (done, failure) -> {
          turn.release();
          if (failure != null) {
            broke(failure);
          }
        });
    try {
      Object unused = sent.get(deadline.remainingNanos(), TimeUnit.NANOSECONDS);
    } catch (TimeoutException e) {
      throw unsent();
    } catch (ExecutionException e) {
      throw Failures.of(call, e);
    }
  }

  private CompletableFuture<WebSocket> begin(Supplier<CompletableFuture<WebSocket>> action) {
    try {
      return action.get();
    } catch (RuntimeException e) {
      return CompletableFuture.failedFuture(e);
    }
  }

  private void broke(Throwable failure) {
    // Who has said goodbye cannot say more, and is still answered.
    if (!leaving) {
      receiver.broke(Failures.of(call, failure));
    }
  }

  private RemoteException unsent() {
    return new RemoteException(
        Kind.TIMEOUT, call.what() + ": the message was not taken before the deadline");
  }

  /** Goes on after the listener had enough; does nothing otherwise. */
  public void resume() {
    receiver.resume();
  }

  /**
   * Says goodbye; the listener hears the end when the peer has answered, or after the idle time.
   */
  public void sayGoodbye() {
    leaving = true;
    nextPing.close();
    Callback.when(
        begin(() -> socket.sendClose(NORMAL, "")),
        (done, failure) -> {
          if (failure != null) {
            LOG.debug("no goodbye on {}", call, failure);
          }
        });
  }

  /** Cuts the connection. The listener hears nothing new. Never blocks; idempotent. */
  @Override
  public void close() {
    nextPing.close();
    receiver.abort();
    socket.abort();
  }

  private void armPing() {
    if (!receiver.over() && !leaving) {
      Duration next = pause.compareTo(options.ping()) < 0 ? pause : options.ping();
      nextPing = EngineClock.system().schedule(next, this::ping);
    }
  }

  private void ping() {
    if (receiver.over() || leaving) {
      return;
    }
    long now = receiver.messages();
    pause = now == heard ? pause.multipliedBy(2) : FIRST_PING;
    heard = now;
    Callback.when(
        taken(),
        (done, failure) -> {
          if (failure != null) {
            LOG.debug("no ping on {}", call, failure);
          }
        });
    armPing();
  }
}
