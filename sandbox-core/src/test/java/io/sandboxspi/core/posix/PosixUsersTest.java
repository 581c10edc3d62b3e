package io.sandboxspi.core.posix;

import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import io.sandboxspi.ErrorCode;
import io.sandboxspi.core.pty.Within;
import io.sandboxspi.spi.LaunchRequest;
import io.sandboxspi.spi.TerminationOutcome;
import java.nio.ByteBuffer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

@Tag("S-USER-01")
class PosixUsersTest {
  private static final boolean ROOT = "root".equals(System.getProperty("user.name"));

  private static LaunchRequest as(String user, LaunchRequest plain) {
    return new LaunchRequest(
        plain.id(),
        plain.argv(),
        Map.of("V", "v"),
        plain.workdir(),
        plain.terminal(),
        false,
        Optional.of(user));
  }

  private static List<LaunchReport> reports(Bed bed, LaunchRequest request) throws Exception {
    List<LaunchReport> reports = new ArrayList<>();
    LaunchMarks marks = LaunchMarks.of(request.id(), reports::add, bytes -> {});
    List<String> argv = bed.launcher(LaunchOption.ANNOUNCE).argv(request, "/");
    marks.feed(ByteBuffer.wrap(bed.run(argv).output()));
    marks.finish();
    return reports;
  }

  @ParameterizedTest
  @EnumSource
  void anotherUserRunsTheProgram(World world) throws Exception {
    String other = ROOT ? "nobody" : System.getProperty("user.name");
    try (Bed bed = new Bed(world)) {
      String text = "/usr/bin/id -un; printf '%s|' \"$V\" \"$@\"";
      LaunchRequest request = as(other, bed.request("/bin/sh", "-c", text, "x", "a b", ""));
      assertThat(bed.run(bed.launcher(LaunchOption.SUPERVISE).argv(request, "/")).text())
          .isEqualTo(other + "\nv|a b||");
    }
  }

  @ParameterizedTest
  @EnumSource
  void oneThatIsMissingOrCannotBeHadIsTold(World world) throws Exception {
    try (Bed bed = new Bed(world)) {
      assertThat(reports(bed, as("no-such-user", bed.script("echo ran"))))
          .containsExactly(new LaunchReport.Failed(ErrorCode.USER_NOT_FOUND, "user"));
      List<LaunchReport> denied = reports(bed, as(ROOT ? "root" : "nobody", bed.script(":")));
      if (ROOT) {
        assertThat(denied).hasOnlyElementsOfType(LaunchReport.Started.class);
      } else {
        assertThat(denied)
            .containsExactly(
                new LaunchReport.Failed(ErrorCode.UNSUPPORTED, "root for another user"));
      }
    }
  }

  /** The kernel keeps the environment of another user's process from a root without ptrace. */
  @ParameterizedTest
  @EnumSource
  void whatEscapedFromAnotherUserEnds(World world) throws Exception {
    assumeTrue(ROOT, "capability: only root has other users");
    try (Bed bed = new Bed(world)) {
      String sleep = bed.unique();
      String text = "(setsid /bin/sh -c 'sleep " + sleep + "; :' &); exit 0";
      LaunchRequest request = as("nobody", bed.request("/bin/sh", "-c", text));
      bed.start(bed.launcher().argv(request, "/")).waitFor();
      Within.until(() -> Bed.alive(sleep).size() == 1);
      List<String> weak = new ArrayList<>(List.of("setpriv", "--bounding-set=-sys_ptrace"));
      String kill = PosixKill.command(bed.state, List.of(request.id()), Duration.ofSeconds(10));
      weak.addAll(bed.state.argv(kill));
      assertThat(PosixKill.parse(List.of(request.id()), bed.run(weak).text()))
          .containsExactly(Map.entry(request.id(), TerminationOutcome.confirmed()));
      assertThat(Bed.alive(sleep)).isEmpty();
    }
  }
}
