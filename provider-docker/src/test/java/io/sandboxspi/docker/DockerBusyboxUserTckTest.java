package io.sandboxspi.docker;

import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import org.junit.jupiter.api.BeforeAll;

class DockerBusyboxUserTckTest extends SandboxProviderTck {
  @BeforeAll
  static void engine() {
    TestEngine.need(TestEngine.BUSYBOX);
  }

  @Override
  protected TckEnvironment environment() {
    return DockerFixture.kit(TestEngine.BUSYBOX, "user", "1000:1000");
  }
}
