package io.sandboxspi.remote.transport;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** Records what a stream or socket tells, and that it tells one thing at a time. */
final class Heard implements StreamListener, WebSocketListener, ConnectFrames.Listener {
  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  final List<String> messages = new ArrayList<>();
  private final CompletableFuture<Object> end = new CompletableFuture<>();
  private final AtomicInteger inside = new AtomicInteger();
  final AtomicInteger ends = new AtomicInteger();
  final AtomicInteger calls = new AtomicInteger();
  volatile boolean overlapped;
  volatile boolean pauseEach;

  /** What happens while a message is handed on. */
  volatile Runnable during = () -> {};

  private synchronized boolean enter(Runnable action) {
    overlapped |= inside.incrementAndGet() != 1;
    during.run();
    action.run();
    calls.incrementAndGet();
    notifyAll();
    inside.decrementAndGet();
    return !pauseEach;
  }

  @Override
  public boolean onBytes(ByteBuffer buffer) {
    byte[] part = new byte[buffer.remaining()];
    buffer.get(part);
    return enter(() -> bytes.writeBytes(part));
  }

  @Override
  public boolean onMessage(com.fasterxml.jackson.databind.node.ObjectNode message) {
    return enter(() -> messages.add(message.toString()));
  }

  @Override
  public boolean onText(String message) {
    return enter(() -> messages.add(message));
  }

  @Override
  public boolean onBinary(ByteBuffer message) {
    return enter(
        () -> messages.add(java.nio.charset.StandardCharsets.UTF_8.decode(message).toString()));
  }

  @Override
  public void onEnd(Optional<RemoteException> failure) {
    ends.incrementAndGet();
    end.complete(failure.isPresent() ? failure.get() : "end");
  }

  @Override
  public void onEnd(WebSocketEnd how) {
    ends.incrementAndGet();
    end.complete(how instanceof WebSocketEnd.Failed failed ? failed.failure() : how);
  }

  synchronized byte[] bytes() {
    return bytes.toByteArray();
  }

  synchronized List<String> messages() {
    return List.copyOf(messages);
  }

  synchronized void awaitCalls(int atLeast) throws InterruptedException {
    long until = System.nanoTime() + TimeUnit.SECONDS.toNanos(10);
    while (calls.get() < atLeast) {
      long left = TimeUnit.NANOSECONDS.toMillis(until - System.nanoTime());
      if (left <= 0) {
        throw new AssertionError("heard only " + calls.get() + " of " + atLeast);
      }
      wait(left);
    }
  }

  Object end() throws Exception {
    return end.get(15, TimeUnit.SECONDS);
  }

  RemoteException failure() throws Exception {
    return (RemoteException) end();
  }
}
