package io.sandboxspi.cli;

import static org.assertj.core.api.Assertions.assertThat;

import io.sandboxspi.tck.Rule;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

class UsageTest {
  static Stream<Arguments> wrongUses() {
    return Stream.of(
        wrong("missing command; known: ", ""),
        wrong("unknown command; known: ", "fly"),
        wrong("Unknown option: '--fast'", "run --fast -- true"),
        wrong("Missing required parameter: 'CMD'", "run"),
        wrong("'--timeout': 'soon'; allowed: 500ms, 30s", "run --timeout soon -- true"),
        wrong("'--timeout': '0s'; allowed: ", "run --timeout 0s -- true"),
        wrong("'--env': 'NOT_SET_HERE' is not set here", "run --env NOT_SET_HERE -- true"),
        wrong("environment name is \"1X\"", "run --env 1X=2 -- true"),
        wrong("--option", "run --option novalue -- true"),
        wrong("shell needs a terminal", "shell"),
        wrong("Unknown option: '--xml'", "providers --xml"));
  }

  private static Arguments wrong(String message, String arguments) {
    return Arguments.of(message, arguments.isEmpty() ? List.of() : List.of(arguments.split(" ")));
  }

  @ParameterizedTest
  @MethodSource("wrongUses")
  @Rule("S-CLI-02")
  void wrongUseIsOneLineAndExit2(String message, List<String> arguments) throws Exception {
    CliProcess.Result result = CliProcess.run(arguments.toArray(String[]::new));

    assertThat(result.err()).startsWith("sandbox: ").contains(message).hasLineCount(1);
    assertThat(result.code()).isEqualTo(2);
    assertThat(result.out()).isEmpty();
  }

  @Test
  @Rule("S-CLI-02")
  void debugShowsTheStackTrace() throws Exception {
    CliProcess.Result result = CliProcess.run("--debug", "run", "--fast", "--", "true");

    assertThat(result.code()).isEqualTo(2);
    assertThat(result.err()).contains("Unknown option: '--fast'").contains("\tat ");
  }

  @Test
  @Rule("S-CLI-02")
  void showsHelpAndVersion() throws Exception {
    assertThat(CliProcess.run("--help").out()).contains("run", "shell", "providers");
    assertThat(CliProcess.run("run", "--help").out()).contains("--timeout", "127 not found");
    assertThat(CliProcess.run("--version").out()).matches("sandbox \\d+\\.\\d+.*\\R");
  }
}
