package io.sandboxspi.fake.blaxel;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.RealProcess;
import java.nio.charset.StandardCharsets;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Queue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;

/** A process's output as lines of JSON, with lines that only say that it lives. */
final class ProcessStream {
  private static final int CHUNK = 4096;

  private final Exchange exchange;
  private final OneProcess process;
  private final ScheduledExecutorService timer;
  private final Queue<byte[]> queue = new ArrayDeque<>();
  private boolean sending;
  private boolean last;

  ProcessStream(Exchange exchange, OneProcess process, ScheduledExecutorService timer) {
    this.exchange = exchange;
    this.process = process;
    this.timer = timer;
  }

  void begin() {
    exchange.begin(200, "application/x-ndjson");
    ScheduledFuture<?> alive =
        timer.scheduleWithFixedDelay(() -> event("keepalive", ""), 5, 5, TimeUnit.SECONDS);
    ScheduledFuture<?> odd =
        timer.scheduleWithFixedDelay(
            () -> event("stdout", "[keepalive]\n"), 30, 30, TimeUnit.SECONDS);
    process.follow(
        (stream, bytes) -> {
          for (int from = 0; from < bytes.length; from += CHUNK) {
            int to = Math.min(bytes.length, from + CHUNK);
            event(
                stream == RealProcess.STDOUT ? "stdout" : "stderr",
                GoText.of(Arrays.copyOfRange(bytes, from, to)));
          }
        });
    process.whenOver(
        timer,
        0,
        inTime -> {
          alive.cancel(false);
          odd.cancel(false);
          event("result", process.describe(OneProcess.SHORT).toString());
          synchronized (this) {
            last = true;
          }
          pump();
        });
  }

  private void event(String type, String data) {
    ObjectNode event = BlaxelFake.object().put("type", type);
    if (!data.isEmpty()) {
      event.put("data", data);
    }
    synchronized (this) {
      queue.add((event + "\n").getBytes(StandardCharsets.UTF_8));
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
