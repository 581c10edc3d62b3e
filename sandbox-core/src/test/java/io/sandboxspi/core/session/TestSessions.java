package io.sandboxspi.core.session;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.SandboxSpec;
import java.time.Duration;

/** Sessions whose bounds a test can wait for. */
final class TestSessions {
  private TestSessions() {}

  static EngineSession open(FakeProvider provider, Duration drain, EngineOptions options)
      throws InterruptedException {
    CleanupTimings timings =
        new CleanupTimings(
            Duration.ofSeconds(2), Duration.ofMillis(300), drain, Duration.ofSeconds(2));
    return EngineSession.open(provider, SandboxSpec.builder().timings(timings).build(), options);
  }
}
