package io.sandboxspi.remote.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.fake.support.Leftovers;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What sessions leave in this JVM, and in the vendor's account. Other tests have sessions too. */
@Isolated
class E2bLeftoversTest {
  private final E2bFixture fixture = new E2bFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void aClosedSessionLeavesNoThreadNoDescriptorAndNoSandbox() throws Exception {
    assertThat(Leftovers.ofSessions(fixture)).isEmpty();
  }
}
