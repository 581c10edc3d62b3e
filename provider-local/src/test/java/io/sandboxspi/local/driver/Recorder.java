package io.sandboxspi.local.driver;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.ByteArrayOutputStream;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Predicate;

/** Records what a process does and checks that the driver keeps the listener's contract. */
final class Recorder implements DriverListener {
  /** How a process ended; signal 0 for none. */
  record Exit(int code, int signal) {}

  private static final int TAIL = 256;

  private final StringBuilder tail = new StringBuilder();
  private final ByteArrayOutputStream out = new ByteArrayOutputStream();
  private final ByteArrayOutputStream error = new ByteArrayOutputStream();
  private final List<String> violations = new ArrayList<>();
  private final AtomicInteger inside = new AtomicInteger();
  private Optional<Exit> exit = Optional.empty();
  private boolean unknown;
  private boolean closed;
  private boolean stopped;
  private int stopAfter = Integer.MAX_VALUE;

  /** Stops delivery whenever this many bytes have come since the last resume. */
  synchronized Recorder stopAfter(int bytes) {
    stopAfter = bytes;
    return this;
  }

  @Override
  public boolean onOutput(int stream, ByteBuffer bytes) {
    enter();
    try {
      synchronized (this) {
        violation(stopped, "output after delivery was stopped");
        violation(closed, "output after its end");
        violation(!bytes.hasRemaining(), "empty output");
        ByteArrayOutputStream target = stream == STDERR ? error : out;
        while (bytes.hasRemaining()) {
          byte next = bytes.get();
          target.write(next);
          tail.append((char) (next & 0xff));
        }
        tail.delete(0, Math.max(0, tail.length() - TAIL));
        stopped = out.size() + error.size() >= stopAfter;
        notifyAll();
        return !stopped;
      }
    } finally {
      inside.decrementAndGet();
    }
  }

  @Override
  public void onOutputClosed() {
    enter();
    synchronized (this) {
      violation(closed, "a second end of output");
      closed = true;
      notifyAll();
    }
    inside.decrementAndGet();
  }

  @Override
  public void onExit(int code, int signal) {
    enter();
    synchronized (this) {
      violation(exit.isPresent() || unknown, "a second exit");
      exit = Optional.of(new Exit(code, signal));
      notifyAll();
    }
    inside.decrementAndGet();
  }

  @Override
  public void onExitUnknown(String cause) {
    synchronized (this) {
      unknown = true;
      violation(true, "exit unknown: " + cause);
      notifyAll();
    }
  }

  private void enter() {
    synchronized (this) {
      violation(inside.getAndIncrement() != 0, "two callbacks at a time");
    }
  }

  private void violation(boolean happened, String what) {
    if (happened) {
      violations.add(what);
    }
  }

  /** Lets delivery go on to this total. */
  synchronized void allow(int total) {
    stopAfter = total;
    stopped = false;
  }

  synchronized int size() {
    return out.size() + error.size();
  }

  /** Whether the output ends so; quick however much there is. */
  synchronized boolean endsWith(String text) {
    return tail.toString().endsWith(text);
  }

  synchronized byte[] bytes() {
    return out.toByteArray();
  }

  synchronized String text() {
    return out.toString(StandardCharsets.UTF_8);
  }

  synchronized String errorText() {
    return error.toString(StandardCharsets.UTF_8);
  }

  synchronized boolean hasExited() {
    return exit.isPresent();
  }

  synchronized boolean isClosed() {
    return closed;
  }

  Exit awaitExit() throws Exception {
    await(10, "exit", Recorder::hasExited);
    synchronized (this) {
      return exit.orElseThrow();
    }
  }

  /** Waits for exit and end of output and checks the contract. */
  Exit awaitEnd() throws Exception {
    return awaitEnd(20);
  }

  Exit awaitEnd(int seconds) throws Exception {
    await(seconds, "end", recorder -> recorder.hasExited() && recorder.isClosed());
    synchronized (this) {
      assertThat(violations).isEmpty();
      return exit.orElseThrow();
    }
  }

  void awaitText(String part) throws Exception {
    await(10, "output '" + part + "'", recorder -> recorder.text().contains(part));
  }

  synchronized void await(int seconds, String what, Predicate<Recorder> condition)
      throws Exception {
    long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(seconds);
    while (!condition.test(this)) {
      long left = TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime());
      if (left <= 0) {
        throw new TimeoutException("no " + what + " in " + seconds + " s; output: " + text());
      }
      wait(left);
    }
  }
}
