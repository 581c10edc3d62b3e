package io.sandboxspi.core.time;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.core.pty.Within;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class LaneTest {
  @Test
  @Tag("S-CLEAN-02")
  void whoAsksForAThreadThatCannotBeHadIsNotThrownAt() throws Exception {
    OutOfMemoryError none = new OutOfMemoryError("no thread");
    Lane lane =
        new Lane(
            "test",
            new ThreadPoolExecutor(
                0,
                Integer.MAX_VALUE,
                0,
                TimeUnit.SECONDS,
                new SynchronousQueue<>(),
                task -> {
                  throw none;
                }));
    lane.execute(() -> {});
    assertThat(Within.failure(lane.call(() -> true))).isSameAs(none);
  }
}
