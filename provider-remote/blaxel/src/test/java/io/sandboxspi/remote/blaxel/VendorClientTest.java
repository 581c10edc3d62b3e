package io.sandboxspi.remote.blaxel;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.sandboxspi.fake.blaxel.BlaxelFake;
import io.sandboxspi.fake.support.NodeClient;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The fake is proven by the vendor's own client: Maven profile {@code vendor-clients}. On CI a
 * missing Node is a failure.
 */
@Tag("vendor-client")
class VendorClientTest {
  @Test
  void theVendorsClientAcceptsTheFake() throws Exception {
    Optional<String> missing = NodeClient.missing();
    if (missing.isPresent() && System.getenv("SANDBOX_CI") != null) {
      fail(missing.get());
    }
    Assumptions.assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
    NodeClient client = NodeClient.install(Path.of("src/test/js"), Path.of("target/vendor-client"));
    try (BlaxelFake fake = new BlaxelFake()) {
      assertThat(client.scenario(fake.settings())).contains("the scenario has passed");
      assertThat(fake.sandboxes()).isZero();
    }
  }
}
