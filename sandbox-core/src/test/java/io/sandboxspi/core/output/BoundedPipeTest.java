package io.sandboxspi.core.output;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.SplittableRandom;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class BoundedPipeTest {
  private final AtomicInteger spaces = new AtomicInteger();
  private final BoundedPipe pipe = new BoundedPipe(8, spaces::incrementAndGet);
  private final InputStream input = pipe.input();

  @Test
  void fullPipeStillStoresAndAsksToPause() throws IOException {
    assertThat(offer("1234567")).isTrue();
    assertThat(offer("89")).isFalse();
    assertThat(offer("overshoot")).isFalse();
    assertThat(pipe.pending()).isEqualTo(18);
    pipe.end();
    assertThat(input.readAllBytes()).isEqualTo(Bytes.utf8("123456789overshoot"));
  }

  @Test
  void spaceIsToldOnceBelowHalf() throws IOException {
    offer("12345678");
    assertThat(input.readNBytes(4)).hasSize(4);
    assertThat(spaces).hasValue(0);
    assertThat(offer("")).isFalse();
    assertThat(input.read()).isEqualTo('5');
    assertThat(spaces).hasValue(1);
    assertThat(input.read()).isEqualTo('6');
    assertThat(spaces).hasValue(1);
    assertThat(offer("x")).isTrue();
  }

  @Test
  void spaceIsNotToldWithoutAPauseOrAfterTheEnd() throws IOException {
    offer("123");
    assertThat(input.readNBytes(3)).hasSize(3);
    offer("12345678");
    pipe.end();
    assertThat(input.readAllBytes()).hasSize(8);
    assertThat(spaces).hasValue(0);
  }

  @Test
  void endsAreSeenBehindTheLastByteAndTheFirstWins() throws IOException {
    offer("ab");
    IllegalStateException cause = new IllegalStateException("connection lost");
    assertThat(pipe.fail(cause)).isTrue();
    assertThat(pipe.fail(new IllegalStateException("late"))).isFalse();
    assertThat(pipe.end()).isFalse();
    assertThat(input.readNBytes(2)).isEqualTo(Bytes.utf8("ab"));
    assertThatThrownBy(input::read).isInstanceOf(IOException.class).hasCause(cause);
    assertThatThrownBy(input::read).isInstanceOf(IOException.class).hasCause(cause);
  }

  @Test
  void cleanEndIsMinusOneForEver() throws IOException {
    pipe.end();
    assertThat(input.read()).isEqualTo(-1);
    assertThat(input.read(new byte[3])).isEqualTo(-1);
    assertThat(offer("late")).isTrue();
    assertThat(input.read()).isEqualTo(-1);
    assertThat(pipe.discarded()).isEqualTo(4);
  }

  @Test
  void closedReaderDiscardsAndReleasesTheWriter() throws IOException {
    assertThat(offer("123456789")).isFalse();
    input.close();
    input.close();
    assertThat(spaces).hasValue(1);
    assertThat(pipe.pending()).isZero();
    for (int i = 0; i < 10; i++) {
      assertThat(offer("123456789")).isTrue();
    }
    assertThat(pipe.discarded()).isEqualTo(99);
    assertThatThrownBy(input::read).isInstanceOf(IOException.class);
    assertThatThrownBy(input::available).isInstanceOf(IOException.class);
  }

  @Test
  void closeWakesABlockedReader() throws Exception {
    Reader reader = new Reader();
    reader.awaitBlocked();
    input.close();
    assertThat(reader.outcome()).isExactlyInstanceOf(IOException.class);
  }

  @Test
  void interruptWakesABlockedReaderAndKeepsItsFlag() throws Exception {
    Reader reader = new Reader();
    reader.awaitBlocked();
    reader.thread.interrupt();
    assertThat(reader.outcome()).isInstanceOf(InterruptedIOException.class);
    assertThat(reader.flagKept).isTrue();
  }

  @Test
  void interruptedReaderTakesNoByte() {
    offer("abc");
    Thread.currentThread().interrupt();
    assertThatThrownBy(input::read).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
    assertThat(pipe.pending()).isEqualTo(3);
  }

  @Test
  void endAndFailureWakeABlockedReader() throws Exception {
    Reader reader = new Reader();
    reader.awaitBlocked();
    pipe.fail(new IllegalStateException("gone"));
    assertThat(reader.outcome()).hasRootCauseMessage("gone");
  }

  @Test
  void brokenCallbackLosesNoByteAndFailsThePipe() throws IOException {
    IllegalStateException broken = new IllegalStateException("resume");
    BoundedPipe other =
        new BoundedPipe(
            2,
            () -> {
              throw broken;
            });
    other.offer(ByteBuffer.wrap(Bytes.utf8("abc")));
    assertThat(other.input().readNBytes(3)).isEqualTo(Bytes.utf8("abc"));
    assertThatThrownBy(() -> other.input().read()).isInstanceOf(IOException.class).hasCause(broken);
  }

  @Test
  void pausingWriterAndRandomReaderMoveEveryByteInOrder() throws Exception {
    SplittableRandom random = Bytes.random("BoundedPipeTest");
    SplittableRandom writes = random.split();
    byte[] all = Bytes.noise(random, 2_000_000);
    Semaphore resume = new Semaphore(0);
    BoundedPipe flow = new BoundedPipe(10_000, resume::release);
    CompletableFuture<Long> most = new CompletableFuture<>();
    Thread writer =
        new Thread(
            () -> {
              try {
                most.complete(writeAll(flow, all, writes, resume));
              } catch (InterruptedException | RuntimeException e) {
                most.completeExceptionally(e);
                flow.fail(e);
              }
            },
            "pipe-test-writer");
    writer.setDaemon(true);
    writer.start();
    ByteArrayOutputStream read = new ByteArrayOutputStream();
    byte[] piece = new byte[7_000];
    int n;
    while ((n = flow.input().read(piece, 0, random.nextInt(1, piece.length))) >= 0) {
      read.write(piece, 0, n);
    }
    assertThat(read.toByteArray()).isEqualTo(all);
    assertThat(most.get(30, TimeUnit.SECONDS)).isLessThan(10_000 + 5_000);
    writer.join(30_000);
  }

  /** Writes all, pausing when told to; returns the most bytes seen pending. */
  private static long writeAll(
      BoundedPipe flow, byte[] all, SplittableRandom writes, Semaphore resume)
      throws InterruptedException {
    long most = 0;
    int start = 0;
    while (start < all.length) {
      int length = Math.min(writes.nextInt(1, 5_000), all.length - start);
      boolean goOn = flow.offer(ByteBuffer.wrap(all, start, length));
      most = Math.max(most, flow.pending());
      start += length;
      if (!goOn && !resume.tryAcquire(30, TimeUnit.SECONDS)) {
        throw new IllegalStateException("never resumed");
      }
    }
    flow.end();
    return most;
  }

  private boolean offer(String text) {
    return pipe.offer(ByteBuffer.wrap(Bytes.utf8(text)));
  }

  /** A thread in a read that blocks. */
  private final class Reader {
    final Thread thread;
    private final CompletableFuture<Throwable> outcome = new CompletableFuture<>();
    volatile boolean flagKept;

    Reader() {
      thread = new Thread(this::run, "pipe-test-reader");
      thread.setDaemon(true);
      thread.start();
    }

    private void run() {
      try {
        int value = input.read();
        outcome.complete(new AssertionError("read gave " + value));
      } catch (IOException e) {
        flagKept = Thread.currentThread().isInterrupted();
        outcome.complete(e);
      }
    }

    void awaitBlocked() {
      long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(30);
      while (thread.getState() != Thread.State.WAITING) {
        if (System.nanoTime() > deadline) {
          throw new AssertionError("the reader does not block");
        }
        Thread.yield();
      }
    }

    Throwable outcome() throws Exception {
      return outcome.get(30, TimeUnit.SECONDS);
    }
  }
}
