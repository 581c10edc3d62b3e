package io.sandboxspi.core.session;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.Checkpoint;
import io.sandboxspi.CleanupTimings;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSpec;
import io.sandboxspi.SessionState;
import io.sandboxspi.SnapshotPolicy;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.core.snapshot.MemorySnapshots;
import java.io.IOException;
import java.io.PipedInputStream;
import java.io.PipedOutputStream;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.Collections;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

class ChangesTest {
  private static final CleanupTimings SHORT =
      new CleanupTimings(
          Duration.ofMillis(300),
          Duration.ofMillis(100),
          Duration.ofMillis(100),
          Duration.ofMillis(500));

  private static void refused(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(SandboxException.class, e -> assertThat(e.code()).isEqualTo(code));
  }

  private static int left(PipedInputStream content) {
    try {
      return content.available();
    } catch (IOException e) {
      throw new UncheckedIOException(e);
    }
  }

  @Test
  @Tag("S-SNAP-09")
  void aWriteThatIsUnderWayIsWaitedForOrNothingIsSaved() throws Exception {
    SavingProvider provider = new SavingProvider();
    SnapshotPolicy policy =
        SnapshotPolicy.in(MemorySnapshots.NAME).option(MemorySnapshots.SPACE, "changes");
    SandboxSpec spec = SandboxSpec.builder().timings(SHORT).snapshots(policy).build();
    EngineSession session = EngineSession.open(provider, spec, EngineOptions.defaults());
    for (boolean ends : new boolean[] {true, false}) {
      provider.calls.clear();
      PipedOutputStream feed = new PipedOutputStream();
      PipedInputStream content = new PipedInputStream(feed);
      feed.write('x');
      Within.Running<Boolean> write =
          Within.start(
              () -> {
                session.files().write("w", content);
                return true;
              });
      Within.until(() -> left(content) == 0);
      Within.Running<Checkpoint> stop = Within.start(session::stop);
      Within.until(() -> session.state() == SessionState.CLOSING);
      refused(ErrorCode.SESSION_CLOSED, () -> session.files().write("v", new byte[1]));
      if (!ends) {
        refused(ErrorCode.SNAPSHOT_FAILED, () -> Within.get(stop.result()));
      }
      feed.close();
      assertThat(Within.get(write.result())).isTrue();
      if (ends) {
        assertThat(Within.get(stop.result()).oldest()).isEqualTo(1);
      }
      assertThat(provider.text("w")).isEqualTo("x");
      assertThat(Collections.frequency(provider.calls, "archive")).isEqualTo(ends ? 1 : 0);
    }
    session.close();
    MemorySnapshots.clear("changes");
  }
}
