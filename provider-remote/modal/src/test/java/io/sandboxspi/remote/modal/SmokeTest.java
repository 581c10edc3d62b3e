package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.SandboxSession;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SmokeTest {
  @Test
  void works() throws Exception {
    try (Fixture fixture = new Fixture();
        SandboxSession session = fixture.open(Map.of())) {
      assertThat(Fixture.output(session, "echo hi; pwd")).startsWith("hi\n");
      session.files().write("a", new byte[3_000_000]);
      assertThat(session.files().read("a")).hasSize(3_000_000);
    }
  }
}
