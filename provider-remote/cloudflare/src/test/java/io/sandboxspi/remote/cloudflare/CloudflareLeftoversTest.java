package io.sandboxspi.remote.cloudflare;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.cloudflare.Container;
import io.sandboxspi.fake.support.Leftovers;
import java.util.Map;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What sessions leave in this JVM, in containers, and in the deployment. */
@Isolated
class CloudflareLeftoversTest {
  private final CloudflareFixture fixture = new CloudflareFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void aClosedSessionLeavesNoThreadNoDescriptorNoConnectionAndNoContainer() throws Exception {
    assertThat(Leftovers.ofSessions(fixture)).isEmpty();
  }

  @Test
  void aContainerThatIsLeftHasNoProcessAndNoSessionOfOurs() throws Exception {
    SandboxSession session = fixture.openPatient(Map.of());
    Leftovers.use(session);
    Container container = fixture.container(session);
    Object unused = session.detach();
    assertThat(
            CloudflareFixture.until(
                () -> container.processes().isEmpty() && container.sessions() == 0))
        .as("processes %s, sessions %s", container.processes(), container.sessions())
        .isTrue();
    assertThat(fixture.fake().containers()).isEqualTo(1);
  }
}
