package io.sandboxspi.remote.daytona;

import io.sandboxspi.fake.daytona.DaytonaFake;
import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The kit through the fake; with {@code -Ddaytona.real} against what the environment names: the
 * service, or a daemon.
 */
@Execution(ExecutionMode.CONCURRENT)
class DaytonaTckTest extends SandboxProviderTck {
  private static DaytonaFake fake;
  private static DaytonaProvider provider;

  @BeforeAll
  static void start() {
    if (System.getProperty("daytona.real") != null) {
      provider = new DaytonaProvider();
    } else {
      fake = new DaytonaFake();
      provider = DaytonaProvider.with(fake.settings());
    }
  }

  @AfterAll
  static void stop() {
    if (fake != null) {
      fake.close();
    }
  }

  @Override
  protected TckEnvironment environment() {
    return TckEnvironment.of(provider).options(Map.of("ports", "8080")).far();
  }
}
