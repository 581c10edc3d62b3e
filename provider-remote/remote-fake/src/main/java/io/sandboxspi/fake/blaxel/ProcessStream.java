package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Fault;
import io.sandboxspi.fake.RealProcess;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/**
 * A process's output as lines of JSON, with lines that only say that it lives. It is looked at
 * every now and then: a process that has ended before the first time has its lines sent again,
 * without their ends and without empty ones.
 */
final class ProcessStream {
  private static final int CHUNK = 4096;
  private static final long TICK = 50;

  private final Exchange exchange;
  private final OneProcess process;
  private final ScheduledExecutorService timer;
  private final @Nullable Fault fault;
  private final Queue<byte[]> queue = new ArrayDeque<>();
  private final List<Piece> early = new ArrayList<>();
  private boolean looked;
  private boolean sending;
  private boolean last;
  private boolean over;
  private int events;

  private record Piece(String type, byte[] bytes) {}

  ProcessStream(Exchange exchange, OneProcess process, ScheduledExecutorService timer) {
    this.exchange = exchange;
    this.process = process;
    this.timer = timer;
    this.fault = exchange.fault().orElse(null);
  }

  void begin() {
    if (fault instanceof Fault.Stall
        || fault instanceof Fault.CutAfter
        || fault instanceof Fault.AnswerAfter) {
      // The fault comes instead.
      exchange.answer(200);
      return;
    }
    exchange.begin(200, "application/x-ndjson");
    ScheduledFuture<?> alive =
        timer.scheduleWithFixedDelay(() -> event("keepalive", ""), 5, 5, TimeUnit.SECONDS);
    ScheduledFuture<?> odd =
        timer.scheduleWithFixedDelay(
            () -> event("stdout", "[keepalive]\n"), 30, 30, TimeUnit.SECONDS);
    process.follow(
        (stream, bytes) ->
            printed(new Piece(stream == RealProcess.STDOUT ? "stdout" : "stderr", bytes)));
    var unused = timer.schedule(this::look, TICK, TimeUnit.MILLISECONDS);
    process.whenOver(
        timer,
        0,
        inTime -> {
          alive.cancel(false);
          odd.cancel(false);
          sayAgain();
          event("result", process.describe(OneProcess.SHORT).toString());
          synchronized (this) {
            last = true;
          }
          pump();
        });
  }

  private void printed(Piece piece) {
    synchronized (this) {
      if (!looked) {
        early.add(piece);
        return;
      }
    }
    send(piece);
  }

  private synchronized void look() {
    if (!looked) {
      looked = true;
      early.forEach(this::send);
    }
  }

  private synchronized void sayAgain() {
    if (!looked) {
      looked = true;
      for (Piece piece : early) {
        for (String line : GoText.of(piece.bytes()).split("\n")) {
          if (!line.isEmpty()) {
            event(piece.type(), line);
          }
        }
      }
    }
  }

  private void send(Piece piece) {
    byte[] bytes = piece.bytes();
    for (int from = 0; from < bytes.length; from += CHUNK) {
      int to = Math.min(bytes.length, from + CHUNK);
      event(piece.type(), GoText.of(Arrays.copyOfRange(bytes, from, to)));
    }
  }

  private void event(String type, String data) {
    ObjectNode event = BlaxelFake.object().put("type", type);
    if (!data.isEmpty()) {
      event.put("data", data);
    }
    synchronized (this) {
      int number = events++;
      boolean silent = fault instanceof Fault.SilentStream silence && number >= silence.messages();
      if (over || silent) {
        return;
      }
      if (fault instanceof Fault.CutStream cut && number == cut.messages()) {
        over = true;
        exchange.cut();
        return;
      }
      if (fault instanceof Fault.SpoilStream spoil && number == spoil.messages()) {
        over = true;
        last = true;
        queue.add(spoil.bytes());
      } else {
        queue.add((event + "\n").getBytes(StandardCharsets.UTF_8));
      }
    }
    pump();
  }

  private void pump() {
    byte[] next;
    synchronized (this) {
      if (sending) {
        return;
      }
      if (queue.isEmpty()) {
        if (last) {
          sending = true;
          exchange.end();
        }
        return;
      }
      next = queue.remove();
      sending = true;
    }
    exchange.write(next, Callback.from(this::sent, failure -> {}));
  }

  private void sent() {
    synchronized (this) {
      sending = false;
    }
    pump();
  }
}
