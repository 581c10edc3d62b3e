package io.sandboxspi.remote.e2b;

import io.sandboxspi.fake.e2b.E2bFake;
import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The kit through the fake; with {@code E2B_API_KEY} and {@code -De2b.real} against the service.
 */
@Execution(ExecutionMode.CONCURRENT)
class E2bTckTest extends SandboxProviderTck {
  private static E2bFake fake;
  private static E2bProvider provider;

  @BeforeAll
  static void start() {
    if (System.getProperty("e2b.real") != null) {
      provider = new E2bProvider();
    } else {
      fake = new E2bFake();
      provider = E2bProvider.with(fake.settings());
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
