package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assertions.fail;

import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.fake.support.NodeClient;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
  void theVendorsClientAcceptsBothKindsOfSandboxesOfTheFake() throws Exception {
    Optional<String> missing = NodeClient.missing();
    if (missing.isPresent() && System.getenv("SANDBOX_CI") != null) {
      fail(missing.get());
    }
    Assumptions.assumeTrue(missing.isEmpty(), () -> missing.orElse(""));
    NodeClient client = NodeClient.install(Path.of("src/test/js"), Path.of("target/vendor-client"));
    for (String second : List.of("1", "0")) {
      try (ModalFake fake = new ModalFake()) {
        Map<String, String> settings = new HashMap<>(fake.settings());
        settings.put("MODAL_SANDBOX_V2", second);
        assertThat(client.scenario(settings)).contains("the scenario has passed");
        assertThat(fake.sandboxes()).isZero();
      }
    }
  }
}
