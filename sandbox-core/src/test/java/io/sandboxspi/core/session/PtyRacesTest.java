package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.PtyInfo;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.PtyUpdate;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.YieldOptions;
import io.sandboxspi.core.pty.Within;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Interleavings on PTYs that are rare by chance, pinned. */
class PtyRacesTest {
  private static final PtyRequest BRIEF =
      PtyRequest.of("prog").collect(YieldOptions.forStart().window(Duration.ZERO));

  private final FakeProvider provider = new FakeProvider();
  private final AtomicInteger id = new AtomicInteger(1_000);
  private final CountDownLatch lifted = new CountDownLatch(1);
  private volatile EngineHooks hooks = EngineHooks.NONE;
  private EngineSession session;

  @BeforeEach
  void open() throws Exception {
    session =
        EngineSession.open(
            provider,
            SandboxSpec.builder()
                .timings(
                    new CleanupTimings(
                        Duration.ofSeconds(2),
                        Duration.ofMillis(300),
                        Duration.ofMillis(100),
                        Duration.ofSeconds(2)))
                .build(),
            EngineOptions.defaults()
                .withPtyIds(id::get)
                .withHooks((point, launch) -> hooks.reached(point, launch)));
  }

  @AfterEach
  void close() {
    lifted.countDown();
    session.close();
    assertThat(session.ledger().open()).isEmpty();
  }

  @Test
  @Tag("S-REG-03")
  @Tag("S-REG-04")
  void aCallThatEndsLateDoesNotTouchThePtyThatGotTheIdMeanwhile() throws Exception {
    session.ptys().start(BRIEF);
    CountDownLatch collecting = new CountDownLatch(1);
    hooks = (point, launch) -> FakeProvider.stuck(collecting, lifted);
    var poll = Within.start(() -> session.ptys().poll(1_000));
    Within.await(collecting);
    hooks = EngineHooks.NONE;
    session.ptys().terminate(1_000);
    Within.until(() -> session.ledger().open().isEmpty());
    PtyUpdate stranger = session.ptys().start(BRIEF);
    assertThat(stranger.id()).isEqualTo(1_000);
    lifted.countDown();
    assertThat(Within.get(poll.result()).running()).isFalse();
    assertThat(session.ptys().list()).extracting(PtyInfo::id).containsExactly(1_000);
  }
}
