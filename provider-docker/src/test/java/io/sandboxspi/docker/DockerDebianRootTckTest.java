package io.sandboxspi.docker;

import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import org.junit.jupiter.api.BeforeAll;

class DockerDebianRootTckTest extends SandboxProviderTck {
  @BeforeAll
  static void engine() {
    TestEngine.need(TestEngine.DEBIAN);
  }

  @Override
  protected TckEnvironment environment() {
    return DockerFixture.kit(TestEngine.DEBIAN);
  }
}
