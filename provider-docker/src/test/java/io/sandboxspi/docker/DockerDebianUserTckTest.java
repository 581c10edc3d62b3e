package io.sandboxspi.docker;

import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import org.junit.jupiter.api.BeforeAll;

/** Without spares: every launch is made afresh. */
class DockerDebianUserTckTest extends SandboxProviderTck {
  @BeforeAll
  static void engine() {
    TestEngine.need(TestEngine.DEBIAN);
  }

  @Override
  protected TckEnvironment environment() {
    return DockerFixture.kit(TestEngine.DEBIAN, "user", "sandbox", "spares", "0");
  }
}
