package io.sandboxspi.tck.kit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;

class AwaitTest {
  /** A permit may be left over from whatever ran on this thread before. */
  @Test
  void aPauseTakesItsTimeWhateverPermitIsLeft() throws Exception {
    LockSupport.unpark(Thread.currentThread());
    long begin = System.nanoTime();
    Await.pause(30_000_000);
    assertThat(System.nanoTime() - begin).isGreaterThanOrEqualTo(30_000_000);
  }

  @Test
  void anInterruptEndsAPause() {
    Thread.currentThread().interrupt();
    assertThatThrownBy(() -> Await.pause(60_000_000_000L)).isInstanceOf(InterruptedException.class);
    assertThat(Thread.interrupted()).isFalse();
  }
}
