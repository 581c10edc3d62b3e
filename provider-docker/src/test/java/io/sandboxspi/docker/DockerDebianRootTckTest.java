package io.sandboxspi.docker;

import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

class DockerDebianRootTckTest extends SandboxProviderTck {
  @BeforeAll
  static void engine() {
    TestEngine.need(TestEngine.DEBIAN);
  }

  @Override
  protected TckEnvironment environment() {
    return TckEnvironment.of(new DockerProvider())
        .options(Map.of("image", TestEngine.DEBIAN, "pull", "never", "network", "none"));
  }
}
