package io.sandboxspi.remote.transport;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import java.io.IOException;
import java.io.InterruptedIOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.concurrent.Flow;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Test;

class ReadBodyTest {
  private final AtomicLong asked = new AtomicLong();
  private final AtomicBoolean cancelled = new AtomicBoolean();
  private final ReadBody body = new ReadBody();

  private void begin() {
    body.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {
            asked.addAndGet(n);
          }

          @Override
          public void cancel() {
            cancelled.set(true);
          }
        });
  }

  private static List<ByteBuffer> two(int first) {
    return List.of(
        ByteBuffer.wrap(new byte[] {(byte) first}),
        ByteBuffer.wrap(new byte[] {(byte) (first + 1)}));
  }

  @Test
  void noMoreIsAskedForThanIsReadAndNothingIsLost() throws Exception {
    begin();
    long window = asked.get();
    for (int i = 0; i < window; i++) {
      body.onNext(two(2 * i));
    }
    assertThat(asked.get()).isEqualTo(window);
    for (int i = 0; i < 2 * window; i++) {
      assertThat(body.read()).isEqualTo(i & 0xff);
    }
    assertThat(asked.get()).isEqualTo(2 * window);
    body.onComplete();
    assertThat(body.read()).isEqualTo(-1);
    body.close();
    assertThat(cancelled).isFalse();
  }

  @Test
  void whatIsEmptyCountsAsReadAtOnce() {
    begin();
    long window = asked.get();
    for (int i = 0; i < window; i++) {
      body.onNext(List.of(ByteBuffer.allocate(0)));
    }
    assertThat(asked.get()).isEqualTo(2 * window);
  }

  @Test
  void aFailureComesBehindWhatArrived() throws Exception {
    begin();
    body.onNext(two(1));
    body.onError(new IOException("cut"));
    assertThat(body.readNBytes(2)).isEqualTo(new byte[] {1, 2});
    assertThat(catchThrowable(body::read)).isInstanceOf(IOException.class);
  }

  @Test
  void aCloseCancelsAndEndsReads() {
    begin();
    body.close();
    assertThat(cancelled).isTrue();
    assertThat(catchThrowable(body::read)).isInstanceOf(IOException.class);
    ReadBody late = new ReadBody();
    late.close();
    AtomicBoolean freed = new AtomicBoolean();
    late.onSubscribe(
        new Flow.Subscription() {
          @Override
          public void request(long n) {
            throw new AssertionError("nobody reads");
          }

          @Override
          public void cancel() {
            freed.set(true);
          }
        });
    assertThat(freed).isTrue();
  }

  @Test
  void anInterruptEndsARead() {
    begin();
    Thread.currentThread().interrupt();
    assertThat(catchThrowable(body::read)).isInstanceOf(InterruptedIOException.class);
    assertThat(Thread.interrupted()).isTrue();
  }
}
