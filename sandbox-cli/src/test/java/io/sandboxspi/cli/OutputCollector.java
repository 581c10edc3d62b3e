package io.sandboxspi.cli;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.Duration;

/** Reads a stream to its end on a thread of its own. */
final class OutputCollector {
  private static final Duration LIMIT = Duration.ofSeconds(60);

  private final ByteArrayOutputStream bytes = new ByteArrayOutputStream();
  private boolean ended;

  OutputCollector(InputStream from) {
    Thread reader = new Thread(() -> collect(from), "test-collector");
    reader.setDaemon(true);
    reader.start();
  }

  /** Everything, after the end of the stream. */
  String all() throws InterruptedException {
    return await(() -> ended, "the output does not end");
  }

  /** What there is once the text has come. */
  String until(String text) throws InterruptedException {
    return await(() -> text().contains(text), "no \"" + text + "\"");
  }

  private interface Condition {
    boolean holds();
  }

  private synchronized String await(Condition condition, String otherwise)
      throws InterruptedException {
    long until = System.nanoTime() + LIMIT.toNanos();
    while (!condition.holds()) {
      long left = (until - System.nanoTime()) / 1_000_000;
      if (ended || left <= 0) {
        throw new AssertionError(otherwise + " in:\n" + text());
      }
      wait(left);
    }
    return text();
  }

  private String text() {
    return bytes.toString(StandardCharsets.UTF_8);
  }

  private void collect(InputStream from) {
    byte[] buffer = new byte[8192];
    try {
      for (int length = from.read(buffer); length >= 0; length = from.read(buffer)) {
        synchronized (this) {
          bytes.write(buffer, 0, length);
          notifyAll();
        }
      }
    } catch (IOException broken) {
      synchronized (this) {
        bytes.writeBytes(("\n" + broken).getBytes(StandardCharsets.UTF_8));
      }
    }
    synchronized (this) {
      ended = true;
      notifyAll();
    }
  }
}
