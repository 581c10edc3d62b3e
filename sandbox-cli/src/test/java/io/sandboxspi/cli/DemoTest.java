package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.tck.Rule;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class DemoTest {
  @TempDir private Path temporary;

  @Test
  @Rule("S-CLI-04")
  void seesWhatItExpectsAndLeavesNothing() throws Exception {
    try (CliProcess cli =
        CliProcess.start(Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary), "demo")) {
      CliProcess.Result result = cli.end();

      assertThat(result.out()).contains("unconfirmed in time, 1 alive", "all as expected");
      assertThat(result.out()).doesNotContain("BAD");
      assertThat(result.code()).isZero();
    }
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
    assertThat(Processes.mentioning(temporary.toString())).isEmpty();
  }

  @Test
  @Rule("S-CLI-04")
  void anInterruptEndsItAndLeavesNothing() throws Exception {
    try (CliProcess cli =
        CliProcess.start(Map.of("JAVA_TOOL_OPTIONS", "-Djava.io.tmpdir=" + temporary), "demo")) {
      cli.outputUntil("64 listed");
      assertThat(Processes.mentioning(temporary.toString())).hasSizeGreaterThan(1);
      cli.signal("INT");

      assertThat(cli.end().code()).isEqualTo(130);
    }
    try (Stream<Path> left = Files.list(temporary)) {
      assertThat(left).isEmpty();
    }
    assertThat(Processes.mentioning(temporary.toString())).isEmpty();
  }
}
