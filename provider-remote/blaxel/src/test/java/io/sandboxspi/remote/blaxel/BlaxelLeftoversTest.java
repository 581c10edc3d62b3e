package io.sandboxspi.remote.blaxel;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.blaxel.FakeSandbox;
import io.sandboxspi.fake.support.Leftovers;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What sessions leave in this JVM, in sandboxes, and in the vendor's account. */
@Isolated
class BlaxelLeftoversTest {
  private final BlaxelFixture fixture = new BlaxelFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void aClosedSessionLeavesNoThreadNoDescriptorNoConnectionAndNoSandbox() throws Exception {
    assertThat(Leftovers.ofSessions(fixture)).isEmpty();
  }

  @Test
  void aSandboxThatIsLeftHasNoProcessOfOurs() throws Exception {
    SandboxSession session = fixture.openPatient(Map.of());
    Leftovers.use(session);
    FakeSandbox sandbox = fixture.sandbox(session);
    Object unused = session.detach();
    assertThat(BlaxelFixture.until(() -> Posix.with(sandbox.mark()).isEmpty()))
        .as("processes: %s", Posix.with(sandbox.mark()))
        .isTrue();
    assertThat(sandbox.terminals()).isZero();
    assertThat(sandbox.uploads()).isZero();
    assertThat(fixture.fake.sandboxes()).isEqualTo(1);
  }
}
