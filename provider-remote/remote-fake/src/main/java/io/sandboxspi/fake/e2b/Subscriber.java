package io.sandboxspi.fake.e2b;

import com.fasterxml.jackson.databind.node.ObjectNode;
import io.sandboxspi.fake.Exchange;
import io.sandboxspi.fake.Fault;
import java.io.ByteArrayOutputStream;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.eclipse.jetty.util.Callback;
import org.jspecify.annotations.Nullable;

/** One client that listens to a process. A client that does not read holds the process up. */
final class Subscriber {
  private final Exchange exchange;
  private final @Nullable Fault fault;
  private final Semaphore turn = new Semaphore(1);
  private final ScheduledFuture<?> keepAlive;
  private volatile boolean gone;
  private volatile long last = System.nanoTime();
  private int messages;
  private boolean silent;

  Subscriber(Exchange exchange, ScheduledExecutorService timer, long keepAliveSeconds) {
    this.exchange = exchange;
    this.fault = exchange.fault().orElse(null);
    exchange.begin(200, "application/connect+json");
    long nanos = TimeUnit.SECONDS.toNanos(keepAliveSeconds);
    this.keepAlive =
        timer.scheduleWithFixedDelay(() -> alive(nanos), nanos, nanos / 4, TimeUnit.NANOSECONDS);
  }

  boolean gone() {
    return gone;
  }

  private void alive(long nanos) {
    if (System.nanoTime() - last >= nanos && turn.tryAcquire()) {
      if (silent || gone) {
        turn.release();
      } else {
        ObjectNode event = Exchange.JSON.createObjectNode();
        event.putObject("event").putObject("keepalive");
        write(Connect.frame(0, event));
      }
    }
  }

  /** Sends an event; waits until the one before has gone out. */
  void send(ObjectNode event) {
    if (gone) {
      return;
    }
    turn.acquireUninterruptibly();
    messages++;
    byte[] frame = Connect.frame(0, event);
    if (gone || silent) {
      turn.release();
    } else if (fault instanceof Fault.CutStream cut && messages > cut.messages()) {
      turn.release();
      cut();
    } else if (fault instanceof Fault.SilentStream quiet && messages > quiet.messages()) {
      silent = true;
      turn.release();
    } else if (fault instanceof Fault.SpoilStream spoil && messages > spoil.messages()) {
      gone = true;
      keepAlive.cancel(false);
      exchange.write(spoil.bytes(), Callback.from(exchange::end, failure -> exchange.end()));
    } else if (fault instanceof Fault.DuplicateStream && messages > 1) {
      ByteArrayOutputStream twice = new ByteArrayOutputStream();
      twice.writeBytes(frame);
      twice.writeBytes(frame);
      write(twice.toByteArray());
    } else {
      write(frame);
    }
  }

  private void write(byte[] bytes) {
    last = System.nanoTime();
    exchange.write(
        bytes,
        Callback.from(
            turn::release,
            failure -> {
              gone = true;
              keepAlive.cancel(false);
              turn.release();
            }));
  }

  /** Ends it in order, or with an error. */
  void end(ObjectNode trailer) {
    turn.acquireUninterruptibly();
    keepAlive.cancel(false);
    if (gone || silent) {
      turn.release();
      return;
    }
    gone = true;
    exchange.write(
        Connect.frame(Connect.END, trailer),
        Callback.from(exchange::end, failure -> exchange.cut()));
  }

  void cut() {
    gone = true;
    keepAlive.cancel(false);
    exchange.cut();
  }
}
