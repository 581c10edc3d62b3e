package io.sandboxspi.remote.e2b;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.Command;
import io.sandboxspi.PtyRequest;
import io.sandboxspi.SandboxSession;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** What sessions leave in this JVM, and in the vendor's account. Other tests have sessions too. */
@Isolated
class E2bLeftoversTest {
  private static final int SPARE = 4;

  private final E2bFixture fixture = new E2bFixture();

  @AfterEach
  void stop() {
    fixture.close();
  }

  @Test
  void aClosedSessionLeavesNoThreadNoDescriptorAndNoSandbox() throws Exception {
    use();
    assertThat(E2bFixture.until(() -> fixture.fake.connections() == 0)).isTrue();
    long before = descriptors();
    for (int i = 0; i < 4; i++) {
      use();
    }
    // Idle connections end with the server's patience.
    assertThat(E2bFixture.until(() -> descriptors() <= before + SPARE))
        .as("descriptors: %s, before %s", descriptors(), before)
        .isTrue();
    assertThat(E2bFixture.until(() -> threads().isEmpty())).as("threads: %s", threads()).isTrue();
    assertThat(fixture.fake.sandboxes()).isZero();
  }

  private void use() throws Exception {
    try (SandboxSession session = fixture.open(Map.of())) {
      for (int i = 0; i < 3; i++) {
        Object unused =
            session.ptys().start(PtyRequest.of("cat").collectFor(Duration.ofMillis(250)));
      }
      assertThat(session.exec(Command.shell("exit 3")).code()).hasValue(3);
      Object running = session.start(Command.of("sleep", "60"));
      assertThat(running).isNotNull();
      session.files().write("file", new byte[300_000]);
      assertThat(session.files().read("file")).hasSize(300_000);
    }
  }

  private static long descriptors() throws IOException {
    try (Stream<Path> open = Files.list(Path.of("/proc/self/fd"))) {
      return open.count();
    }
  }

  private static List<String> threads() {
    return Thread.getAllStackTraces().keySet().stream()
        .map(Thread::getName)
        .filter(name -> name.matches("sandbox-[0-9a-f]{8}-.*"))
        .toList();
  }
}
