package io.sandboxspi.remote.blaxel;

import io.sandboxspi.fake.blaxel.BlaxelFake;
import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The kit through the fake; with {@code -Dblaxel.real} against what the environment names: the
 * service, or a daemon.
 */
@Execution(ExecutionMode.CONCURRENT)
class BlaxelTckTest extends SandboxProviderTck {
  private static BlaxelFake fake;
  private static BlaxelProvider provider;

  @BeforeAll
  static void start() {
    if (System.getProperty("blaxel.real") != null) {
      provider = new BlaxelProvider();
    } else {
      fake = new BlaxelFake();
      provider = BlaxelProvider.with(fake.settings());
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
    return TckEnvironment.of(provider).far();
  }
}
