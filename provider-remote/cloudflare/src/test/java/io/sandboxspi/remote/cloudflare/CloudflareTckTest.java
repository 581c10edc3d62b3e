package io.sandboxspi.remote.cloudflare;

import io.sandboxspi.fake.cloudflare.CloudflareFake;
import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * The kit through the fake; with {@code -Dcloudflare.real} against the bridge that the environment
 * names.
 */
@Execution(ExecutionMode.CONCURRENT)
class CloudflareTckTest extends SandboxProviderTck {
  private static CloudflareFake fake;
  private static CloudflareProvider provider;

  @BeforeAll
  static void start() {
    if (System.getProperty("cloudflare.real") != null) {
      provider = new CloudflareProvider();
    } else {
      fake = new CloudflareFake();
      provider = CloudflareProvider.with(fake.settings());
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
    // Idle connections of the JDK's client are descriptors too.
    return TckEnvironment.of(provider).far();
  }
}
