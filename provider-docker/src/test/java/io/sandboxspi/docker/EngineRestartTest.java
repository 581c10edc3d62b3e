package io.sandboxspi.docker;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sandboxspi.CleanupTimings;
import io.sandboxspi.Command;
import io.sandboxspi.ErrorCode;
import io.sandboxspi.ExitStatus;
import io.sandboxspi.RunningCommand;
import io.sandboxspi.SandboxException;
import io.sandboxspi.SandboxSession;
import java.io.IOException;
import java.nio.file.DirectoryStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Test;

/** The engine itself is killed and started again while a session is open. */
class EngineRestartTest {
  private static final CleanupTimings TIMINGS =
      new CleanupTimings(
          Duration.ofSeconds(3),
          Duration.ofMillis(500),
          Duration.ofMillis(500),
          Duration.ofSeconds(5));

  private static void code(ErrorCode code, ThrowingCallable call) {
    assertThatThrownBy(call)
        .isInstanceOfSatisfying(
            SandboxException.class, e -> assertThat(e.code()).as(e.toString()).isEqualTo(code));
  }

  /** On this machine, where the container's processes are too. */
  private static long living(String command) throws IOException {
    long count = 0;
    try (DirectoryStream<Path> all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
      for (Path process : all) {
        count += words(process).equals(command) ? 1 : 0;
      }
    }
    return count;
  }

  private static String words(Path process) {
    try {
      return Files.readString(process.resolve("cmdline"), ISO_8859_1).replace('\0', ' ').strip();
    } catch (IOException gone) {
      return "";
    }
  }

  @Test
  void nothingIsTakenForAnEndThatWasNotSeen() throws Exception {
    TestEngine.need(TestEngine.BUSYBOX);
    // Short: a socket's path has a bound.
    Path directory = Files.createTempDirectory("eng");
    // Last: also what a failure leaves.
    try (AutoCloseable unused = () -> delete(directory);
        OwnEngine engine = new OwnEngine(directory)) {
      engine.load(TestEngine.BUSYBOX);
      SandboxSession session =
          DockerFixture.open(Map.of("host", engine.address()), spec -> spec.timings(TIMINGS));
      // Told from what others run on this machine.
      String seconds = String.valueOf(ThreadLocalRandom.current().nextInt(100_000, 900_000));
      String sleeps = "/bin/sleep " + seconds;
      RunningCommand first = session.start(Command.of("/bin/sleep", seconds));
      assertThat(DockerFixture.until(Duration.ofSeconds(10), () -> living(sleeps) == 1)).isTrue();

      // Killed: the container runs on, and nobody can tell.
      engine.kill();
      code(ErrorCode.TRANSPORT, () -> session.exec(Command.of("true")));
      code(ErrorCode.TERMINATION_UNCONFIRMED, () -> session.ptys().terminateAll());
      assertThat(living(sleeps)).isEqualTo(1);

      // Back, with the container: what was not proven is proven now.
      engine.start(true);
      assertThat(DockerFixture.output(session, "echo usable")).isEqualTo("usable\n");
      DockerFixture.endAll(session);
      assertThat(living(sleeps)).isZero();
      assertThat(first.await(Duration.ofSeconds(10)).orElseThrow().status())
          .isInstanceOf(ExitStatus.Lost.class);

      // Restarted without its containers: that is evidence of an end.
      RunningCommand second = session.start(Command.of("/bin/sleep", seconds));
      engine.kill();
      engine.start(false);
      assertThat(DockerFixture.until(Duration.ofSeconds(20), () -> living(sleeps) == 0)).isTrue();
      code(ErrorCode.BACKEND_NOT_RUNNING, () -> session.exec(Command.of("true")));
      DockerFixture.endAll(session);
      assertThat(second.await(Duration.ofSeconds(10))).isPresent();
      session.close();
      assertThat(
              DockerFixture.until(Duration.ofSeconds(10), () -> DockerFixture.threads().isEmpty()))
          .isTrue();
    }
  }

  private static void delete(Path directory) throws Exception {
    assertThat(
            new ProcessBuilder(
                    "sh",
                    "-c",
                    // The engine makes its directory a mount of its own, and containers more of
                    // them.
                    "grep -o \" $1/[^ ]*\" /proc/self/mounts | sort -r | xargs -r umount -l;"
                        + " rm -rf --one-file-system \"$1\"",
                    "sh",
                    directory.toString())
                .inheritIO()
                .start()
                .waitFor())
        .isZero();
  }
}
