package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.modal.FakeSandbox;
import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.fake.support.Leftovers;
import io.sandboxspi.fake.support.VendorFixture;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What sessions leave in this JVM, in sandboxes, and in the vendor's account. */
@Isolated
class ModalLeftoversTest {
  private final Fixture fixture = new Fixture(ModalFake.relayed());

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
    assertThat(VendorFixture.until(() -> Posix.with(sandbox.mark()).isEmpty()))
        .as("processes: %s", Posix.with(sandbox.mark()))
        .isTrue();
    assertThat(fixture.fake().sandboxes()).isEqualTo(1);
  }
}
