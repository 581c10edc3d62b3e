package io.sandboxspi.remote.transport;

import io.sandboxspi.remote.transport.RemoteException.Kind;
import java.io.ByteArrayOutputStream;
import java.net.http.WebSocket;
import java.nio.ByteBuffer;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/** Puts frames together and watches for silence. Fields without a word are of {@link #serial}. */
final class Receiver implements WebSocket.Listener {
  private final HttpCall call;
  private final WebSocketListener listener;
  private final int limit;
  private final IdleWatch watch;
  private final Serial serial = new Serial();
  private final StringBuilder text = new StringBuilder();
  private final ByteArrayOutputStream binary = new ByteArrayOutputStream();
  private final AtomicBoolean resumed = new AtomicBoolean();
  private final Map<Long, CompletableFuture<Boolean>> asked = new ConcurrentHashMap<>();
  private @Nullable WebSocket socket;
  private boolean paused;
  private final Executor executor;
  private final AtomicLong messages = new AtomicLong();
  private volatile boolean over;

  Receiver(HttpCall call, WebSocketOptions options, WebSocketListener listener, Executor executor) {
    this.call = call;
    this.listener = listener;
    this.executor = executor;
    this.limit = options.limit();
    this.watch =
        new IdleWatch(
            options.idle(),
            () ->
                executor.execute(
                    () ->
                        serial.execute(
                            () ->
                                fail(
                                    new RemoteException(
                                        Kind.STALLED,
                                        call.what()
                                            + ": nothing came for "
                                            + options.idle().toSeconds()
                                            + " s")))));
  }

  boolean over() {
    return over;
  }

  /** Parts of messages that have come. */
  long messages() {
    return messages.get();
  }

  /** The connection has ended, whatever the JDK says. */
  void broke(RemoteException failure) {
    executor.execute(() -> serial.execute(() -> fail(failure)));
  }

  /** Completes when the ping with this number is answered. */
  CompletableFuture<Boolean> expect(long number) {
    CompletableFuture<Boolean> answer = new CompletableFuture<>();
    asked.put(number, answer);
    if (over) {
      unanswered();
    }
    return answer;
  }

  private void unanswered() {
    for (Long number : asked.keySet()) {
      CompletableFuture<Boolean> question = asked.remove(number);
      if (question != null) {
        question.completeExceptionally(
            new RemoteException(Kind.BROKEN, call.what() + ": the connection has ended"));
      }
    }
  }

  @Override
  public void onOpen(WebSocket opened) {
    serial.execute(
        () -> {
          socket = opened;
          if (over) {
            opened.abort();
          } else {
            opened.request(1);
          }
        });
  }

  @Override
  public @Nullable CompletionStage<?> onText(WebSocket from, CharSequence data, boolean last) {
    watch.touch();
    long unused = messages.incrementAndGet();
    String part = data.toString();
    serial.execute(
        () -> {
          if (tooLong(text.length() + part.length())) {
            return;
          }
          text.append(part);
          String message = text.toString();
          if (last) {
            text.setLength(0);
          }
          next(!last || over || passed(() -> listener.onText(message)));
        });
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onBinary(WebSocket from, ByteBuffer data, boolean last) {
    watch.touch();
    long unused = messages.incrementAndGet();
    byte[] part = new byte[data.remaining()];
    data.get(part);
    serial.execute(
        () -> {
          if (tooLong((long) binary.size() + part.length)) {
            return;
          }
          if (last && binary.size() == 0) {
            next(over || passed(() -> listener.onBinary(ByteBuffer.wrap(part))));
            return;
          }
          binary.writeBytes(part);
          ByteBuffer message = ByteBuffer.wrap(binary.toByteArray());
          if (last) {
            binary.reset();
          }
          next(!last || over || passed(() -> listener.onBinary(message)));
        });
    return null;
  }

  private boolean tooLong(long length) {
    if (length > limit) {
      fail(
          new RemoteException(Kind.TOO_LARGE, call.what() + ": a message is longer than " + limit));
      return true;
    }
    return over;
  }

  private interface Handing {
    boolean run();
  }

  /** Whether to go on; a resume that came meanwhile counts. */
  private boolean passed(Handing handing) {
    resumed.set(false);
    try {
      return handing.run() || resumed.getAndSet(false);
    } catch (RemoteException wrong) {
      fail(wrong);
    } catch (RuntimeException | Error defect) {
      fail(new RemoteException(Kind.MALFORMED, call.what() + ": it cannot be read", defect));
    }
    return false;
  }

  private void next(boolean more) {
    if (over) {
      return;
    }
    if (more) {
      request();
    } else {
      paused = true;
      watch.suspend(true);
    }
  }

  private void request() {
    if (socket != null) {
      socket.request(1);
    }
  }

  @Override
  public @Nullable CompletionStage<?> onPing(WebSocket from, ByteBuffer message) {
    watch.touch();
    serial.execute(() -> next(true));
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onPong(WebSocket from, ByteBuffer message) {
    watch.touch();
    if (message.remaining() == Long.BYTES) {
      CompletableFuture<Boolean> question = asked.remove(message.getLong());
      if (question != null) {
        question.complete(true);
      }
    }
    serial.execute(() -> next(true));
    return null;
  }

  @Override
  public @Nullable CompletionStage<?> onClose(WebSocket from, int code, String reason) {
    serial.execute(() -> tell(new WebSocketEnd.Closed(code, reason)));
    return null;
  }

  @Override
  public void onError(WebSocket from, Throwable failure) {
    serial.execute(() -> tell(new WebSocketEnd.Failed(Failures.of(call, failure))));
  }

  void resume() {
    resumed.set(true);
    serial.execute(
        () -> {
          if (resumed.getAndSet(false) && paused && !over) {
            paused = false;
            watch.suspend(false);
            request();
          }
        });
  }

  private void fail(RemoteException failure) {
    if (socket != null) {
      socket.abort();
    }
    tell(new WebSocketEnd.Failed(failure));
  }

  private void tell(WebSocketEnd end) {
    watch.close();
    if (!over) {
      over = true;
      unanswered();
      listener.onEnd(end);
    }
  }

  /** Nothing is told from now on. */
  void abort() {
    over = true;
    watch.close();
    unanswered();
  }
}
