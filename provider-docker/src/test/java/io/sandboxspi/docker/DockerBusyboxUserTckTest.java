package io.sandboxspi.docker;

import io.sandboxspi.tck.SandboxProviderTck;
import io.sandboxspi.tck.TckEnvironment;
import java.util.Map;
import org.junit.jupiter.api.BeforeAll;

class DockerBusyboxUserTckTest extends SandboxProviderTck {
  @BeforeAll
  static void engine() {
    TestEngine.need(TestEngine.BUSYBOX);
  }

  @Override
  protected TckEnvironment environment() {
    return TckEnvironment.of(new DockerProvider())
        .options(
            Map.of(
                "image",
                TestEngine.BUSYBOX,
                "pull",
                "never",
                "network",
                "none",
                "user",
                "1000:1000"));
  }
}
