package io.sandboxspi.remote.modal;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.Command;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxSession;
import io.sandboxspi.fake.Posix;
import io.sandboxspi.fake.modal.FakeSandbox;
import io.sandboxspi.fake.modal.ModalFake;
import io.sandboxspi.fake.support.VendorFixture;
import java.time.Duration;
import java.util.List;
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
  void aClosedSessionLeavesNoThreadNoConnectionAndNoSandbox() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      use(session);
    }
    assertThat(fixture.fake().sandboxes()).isZero();
    assertThat(VendorFixture.until(() -> fixture.fake().relay().connections() == 0)).isTrue();
    assertThat(VendorFixture.until(() -> threads().isEmpty()))
        .as("threads: %s", threads())
        .isTrue();
  }

  @Test
  void aSandboxThatIsLeftHasNoProcessOfOurs() throws Exception {
    SandboxSession session = fixture.open(Map.of());
    use(session);
    FakeSandbox sandbox = fixture.sandbox(session);
    Object unused = session.detach();
    assertThat(VendorFixture.until(() -> Posix.with(sandbox.mark()).isEmpty()))
        .as("processes: %s", Posix.with(sandbox.mark()))
        .isTrue();
    assertThat(fixture.fake().sandboxes()).isEqualTo(1);
  }

  private static void use(SandboxSession session) throws Exception {
    for (int i = 0; i < 3; i++) {
      Object unused = session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
    }
    assertThat(session.exec(Command.shell("exit 3")).code()).hasValue(3);
    Object running = session.start(Command.of("sleep", "60"));
    assertThat(running).isNotNull();
    session.files().write("file", new byte[300_000]);
    assertThat(session.files().read("file")).hasSize(300_000);
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("sandbox-[0-9a-f]{8}-.*"))
        .toList();
  }
}
